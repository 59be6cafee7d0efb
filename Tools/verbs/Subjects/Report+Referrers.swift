import LedgerRuntime

/// What names a promise or handler, and its calls that failed.
struct Referrers {
  /// The maximum number of referrers that are looked for.
  private static let maximumCount = 16

  private var lines: [(words: String, json: JSONValue)] = []
  /// Handlers whose newest run failed: the subject itself, or those that name it.
  private var failed: [HandlerRecord] = []

  init(of subject: Subject, in replayed: ReplayedLedger, progress: () -> Void) throws {
    let liveness = try SessionLiveness(replayed)
    for referrer in try replayed.referrers(of: subject.id, limit: Self.maximumCount + 1) {
      switch referrer.subject {
      case .handler(let id):
        guard let record = try replayed.record(of: id) else { continue }
        add(record, try liveness.runners(of: record))
      case .promise(let id):
        guard let record = try replayed.record(of: id) else { continue }
        try add(record, liveness)
      }
    }
    if case .handler(let record) = subject, record.lastFinish?.outcome == .failed {
      failed.append(record)
    }
    try replayed.forEachEndedFailure(
      of: .handler, after: RecentFailures.start(in: replayed), progress: progress
    ) { failure in
      guard case .handler(let record) = failure, record.id.entityID != subject.id,
        record.references.promises.contains(PromiseID(entityID: subject.id))
          || record.references.handlers.contains(HandlerID(entityID: subject.id))
      else { return true }
      failed.append(record)
      return failed.count < Self.maximumCount
    }
  }

  private mutating func add(_ handler: HandlerRecord, _ runners: [SessionID: Liveness]) {
    var words = ["handler \(handler.id)\(Self.name(handler.nameText)), kind \(handler.kind.quoted)"]
    words += handler.openCalls.map { $0.words(runners) }
    if handler.openCalls.isEmpty { words.append("not called") }
    if handler.lastFinish?.outcome == .failed { failed.append(handler) }
    lines.append(
      (
        words.joined(separator: ", "),
        .object(["handler": .string("\(handler.id)"), "handlerKind": .string(handler.kind)])
      ))
  }

  private mutating func add(
    _ promise: PromiseRecord, _ liveness: SessionLiveness
  ) throws(LedgerError) {
    let noun = promise.joint == nil ? "work" : "joint"
    var words = ["\(noun) \(promise.id)\(Self.name(promise.nameText))"]
    if let work = promise.work {
      words.append("kind \(work.kind.quoted)")
      switch work.state {
      case .running(let session):
        let state = try liveness[session]
        words.append("run by session \(session.entityID.shortText), \(state.words)")
      case .parked: words.append("parked")
      case .waiting(let trigger): words += trigger == .now ? ["due"] : trigger.words
      default: break
      }
    }
    lines.append((words.joined(separator: ", "), .object([noun: .string("\(promise.id)")])))
  }

  private static func name(_ text: String?) -> String { text.map { " (\($0))" } ?? "" }

  /// Adds everything to a report. The errors of failed calls are read from their events.
  func add(to report: inout Report, from inspector: BlockingInspector) {
    for line in lines { report.addLine("named by", line.words) }
    if !lines.isEmpty { report.add("namedBy", .array(lines.map(\.json))) }
    var members: [JSONValue] = []
    for handler in failed {
      guard let finish = handler.lastFinish else { continue }
      let error = inspector.error(of: finish)
      let words =
        error.map { $0.description.clipped.escapingControlCharacters }
        ?? "its event was deleted, and with it the error"
      report.addLine(
        "failed",
        "\(finish.purpose) of handler \(handler.id)\(Self.name(handler.nameText)) at \(finish.trace.time): \(words)"
      )
      var member: [String: JSONValue] = [
        "handler": .string("\(handler.id)"), "time": .string("\(finish.trace.time)"),
        "position": .unsigned(finish.trace.position.rawValue),
      ]
      member["error"] = error.map { .object($0.members) }
      members.append(.object(member))
    }
    if !members.isEmpty { report.add("failedCalls", .array(members)) }
  }
}

/// The failures that lists show without being asked: those among the newest events. All others take a walk
/// through everything that ever ended.
enum RecentFailures {
  private static let eventCount: UInt64 = 100_000

  /// The position after which failures are recent.
  static func start(in replayed: ReplayedLedger) -> Position {
    let head = replayed.position.rawValue
    return head > eventCount ? Position(rawValue: head - eventCount) : .start
  }
}

extension BlockingInspector {
  /// The error of a call that failed; `nil` if its event was deleted or cannot be read.
  fileprivate func error(of finish: HandlerRecord.Finish) -> StoredError? {
    let position = finish.trace.position
    let before = Position(rawValue: position.rawValue - 1)
    guard let event = try? events(after: before, limit: 1).first, event.position == position,
      let report = try? finishReport(of: event), case .failed(let error) = report.result
    else { return nil }
    return error
  }
}
