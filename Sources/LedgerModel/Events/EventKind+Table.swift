extension EventKind {
  /// What the events of a kind are about.
  package enum Subject: Sendable, Hashable {
    case ledger, session, promise, handler
  }

  /// All that is known of a kind but for how it changes its subject.
  private struct Row: Sendable {
    let name: String
    let payload: any EventPayload.Type
    let subject: Subject
    let grows: Bool

    /// - Parameter grows: Whether a full ledger refuses the event. What ends something is taken
    ///   from the reserve.
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

  /// The rows at the numbers of their kinds.
  private static let rows: [Row?] = byNumber { $0 }
  // Asked of every event, so that the answer costs no more than a look into an array.
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

  /// What the event is about; `nil` for a kind that this build does not know.
  package var subject: Subject? {
    rawValue < Self.subjects.count ? Self.subjects[Int(rawValue)] : nil
  }

  /// The payload, if it is that of a creation whose subject may have a key.
  var keyedPayload: (any KeyedPayload.Type)? {
    rawValue < Self.keyedPayloads.count ? Self.keyedPayloads[Int(rawValue)] : nil
  }

  /// Whether the subject has a record in the snapshot, or may have one.
  package var hasRecord: Bool { subject != .ledger }

  /// Whether a full ledger refuses the event.
  package var makesLedgerGrow: Bool { row?.grows ?? true }
}
