extension EventKind {
  /// The kind of entity that events of a kind concern.
  package enum Subject: Sendable, Hashable {
    case ledger, session, promise, handler
  }

  /// The properties of a kind, except for how its events change their subject.
  private struct Row: Sendable {
    let name: String
    let payload: any EventPayload.Type
    let subject: Subject
    let grows: Bool

    /// - Parameter grows: Whether a full ledger refuses the event. Events that end an entity use the reserve.
    init(_ name: String, _ payload: any EventPayload.Type, _ subject: Subject, grows: Bool) {
      self.name = name
      self.payload = payload
      self.subject = subject
      self.grows = grows
    }
  }

  private static let table: [Row] = [
    Row("ledgerCreated", LedgerCreated.self, .ledger, grows: true),

    Row("sessionOpened", SessionOpened.self, .session, grows: false),
    Row("sessionFrozen", SessionFrozen.self, .session, grows: false),
    Row("sessionUnfrozen", SessionUnfrozen.self, .session, grows: false),
    Row("sessionClosed", SessionClosed.self, .session, grows: false),

    Row("promiseCreated", PromiseCreated.self, .promise, grows: true),
    Row("promiseResolved", PromiseResolved.self, .promise, grows: true),
    Row("promiseConsumed", PromiseConsumed.self, .promise, grows: false),
    Row("promiseAbandoned", PromiseAbandoned.self, .promise, grows: false),

    Row("workStarted", WorkStarted.self, .promise, grows: true),
    Row("workReleased", WorkReleased.self, .promise, grows: false),
    Row("workStepFinished", WorkStepFinished.self, .promise, grows: true),
    Row("workCancelRequested", WorkCancelRequested.self, .promise, grows: true),
    Row("workAmended", WorkAmended.self, .promise, grows: true),

    Row("handlerCreated", HandlerCreated.self, .handler, grows: true),
    Row("handlerRebound", HandlerRebound.self, .handler, grows: true),
    Row("handlerCallStarted", HandlerCallStarted.self, .handler, grows: true),
    Row("handlerCallReleased", HandlerCallReleased.self, .handler, grows: false),
    Row("handlerCallFinished", HandlerCallFinished.self, .handler, grows: false),
    Row("handlerInvalidated", HandlerInvalidated.self, .handler, grows: false),
    Row("handlerInvalidationFinished", HandlerInvalidationFinished.self, .handler, grows: false),

    Row("snapshotTaken", SnapshotTaken.self, .ledger, grows: false),
    Row("retentionApplied", RetentionApplied.self, .ledger, grows: false),
    Row("eventsCompacted", EventsDeleted.self, .ledger, grows: false),
  ]

  /// All kinds that this build knows.
  public static let all: [EventKind] = table.map { $0.payload.kind }

  // MARK: Looking up

  /// The rows, indexed by the number of their kind.
  private static let rows: [Row?] = byNumber { $0 }
  // Looked up for every event, so the cost must not exceed an array access.
  private static let subjects: [Subject?] = byNumber(\.subject)
  private static let keyedPayloads = byNumber { $0.payload as? any KeyedPayload.Type }

  private static func byNumber<Value>(_ value: (Row) -> Value?) -> [Value?] {
    let count = all.reduce(0) { max($0, Int($1.rawValue) + 1) }
    var values = [Value?](repeating: nil, count: count)
    for row in table { values[Int(row.payload.kind.rawValue)] = value(row) }
    return values
  }

  private var row: Row? {
    rawValue < Self.rows.count ? Self.rows[Int(rawValue)] : nil
  }

  /// The name, or `nil` for a number that this build does not know.
  public var name: String? { row?.name }

  /// The payload that this build writes and reads; `nil` for a kind that it does not know.
  package var payload: (any EventPayload.Type)? { row?.payload }

  /// The kind of entity that the event concerns; `nil` for a kind that this build does not know.
  package var subject: Subject? {
    rawValue < Self.subjects.count ? Self.subjects[Int(rawValue)] : nil
  }

  /// The payload type, if it belongs to a creation whose subject may have a key.
  var keyedPayload: (any KeyedPayload.Type)? {
    rawValue < Self.keyedPayloads.count ? Self.keyedPayloads[Int(rawValue)] : nil
  }

  /// Whether the subject has, or may have, a record in the snapshot.
  package var hasRecord: Bool { subject != .ledger }

  /// Whether a full ledger refuses the event.
  package var makesLedgerGrow: Bool { row?.grows ?? true }
}
