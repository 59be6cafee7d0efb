import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

extension WorkLedger {
  /// The ledger as an inspector sees it.
  func replayed() throws -> ReplayedLedger {
    ReplayedLedger(
      try .replayed(from: store), of: store, registry: UnwatchedSessions())
  }

  /// Appends an event at a time, regardless of the rules for commands.
  func append(
    _ payload: some EventPayload, on number: Int = 1, at second: Int64, by session: Int = 1
  ) throws {
    let own = context.session
    defer { context.session = own }
    context.session = .numbered(session)
    try append([
      .of(payload, on: PromiseID.numbered(number).entityID, at: .second(second))
    ])
  }
}

extension PromiseCreated {
  /// The creation of work, or of a promise that is settled from outside.
  static func inTree(
    parent: Int? = nil, after awaited: Int? = nil, isWork: Bool = true
  ) -> PromiseCreated {
    let trigger = awaited.map { WorkTrigger.after(.numbered($0), .any) } ?? .now
    return PromiseCreated(
      typeTag: "text", lifetime: .untilSettled, parent: parent.map(PromiseID.numbered),
      source: isWork ? .work(.init(kind: "k", trigger: trigger)) : .outside)
  }
}
