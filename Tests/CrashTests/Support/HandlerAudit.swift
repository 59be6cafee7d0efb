import PromiseLedger

/// Compares a log that has the handlers of the worker with the rules that hold at any moment.
struct HandlerAudit {
  /// A call, with the number that it works on.
  private struct Call {
    let handler: EntityID
    let number: Int
    var finishCount = 0
  }

  private var events: [LedgerEvent] = []
  private var tally: EntityID?
  private var numberOfWork: [EntityID: Int] = [:]
  private var calls: [CallID: Call] = [:]
  private var resolutions: [EntityID: Int] = [:]
  /// By label.
  private var creations: [String: Int] = [:]

  init(_ inspector: BlockingInspector) throws {
    for event in try inspector.allEvents() { try take(event) }
  }

  private mutating func take(_ event: LedgerEvent) throws {
    switch event.kind {
    case .handlerCreated:
      let created = try HandlerCreated(decoding: event.payload)
      if created.handlerKind == "tally" { tally = event.subject }
      numberOfWork[event.subject] = created.key?.split(separator: "/").last.flatMap { Int($0) }
    case .handlerCallStarted:
      let started = try HandlerCallStarted(decoding: event.payload)
      guard started.attempt == 1 else { return }
      let given = started.arguments?["number"].map { String(decoding: $0.payload, as: UTF8.self) }
      guard let number = given.flatMap({ Int($0) }) ?? numberOfWork[event.subject] else { return }
      calls[started.call] = Call(handler: event.subject, number: number)
    case .handlerCallFinished:
      let end = try HandlerCallFinished(decoding: event.payload).end
      calls[end.call]?.finishCount += 1
    case .promiseResolved:
      resolutions[event.subject, default: 0] += 1
    case .promiseCreated:
      let created = try PromiseCreated(decoding: event.payload)
      if let label = created.label { creations[label, default: 0] += 1 }
    default: break
    }
  }

  /// The calls that began and have no finish.
  var unfinished: Set<CallID> { Set(calls.filter { $0.value.finishCount == 0 }.keys) }

  /// How many calls of the first handlers have a finish.
  var finishedWorkCount: Int {
    calls.values.count { $0.handler != tally && $0.finishCount > 0 }
  }

  /// The problems: an effect without the finish of its call, a finish without its effects, or
  /// anything twice.
  func findings(count: Int) throws -> [String] {
    var findings: [String] = []
    for (id, call) in calls where call.finishCount > 1 {
      findings.append("call \(id) finished \(call.finishCount) times")
    }
    for number in 0..<count {
      let works = calls.values.filter { $0.handler != tally && $0.number == number }
      let tallies = calls.values.filter { $0.handler == tally && $0.number == number }
      let finishCount = works.reduce(0) { $0 + $1.finishCount }
      if works.count > 1 { findings.append("\(number) was called \(works.count) times") }
      let promise = try PromiseKey("result/\(number)").promiseID.entityID
      let counts = [
        "resolved": resolutions[promise] ?? 0, "made": creations["made \(number)"] ?? 0,
        "called on": tallies.count,
      ]
      for (what, count) in counts where count != finishCount {
        findings.append("\(number) was \(what) \(count) times with \(finishCount) finishes")
      }
      let talliedCount = creations["tallied \(number)"] ?? 0
      let tallyFinishCount = tallies.reduce(0) { $0 + $1.finishCount }
      if talliedCount != tallyFinishCount {
        findings.append(
          "\(number) was tallied \(talliedCount) times with \(tallyFinishCount) finishes")
      }
    }
    return findings
  }
}
