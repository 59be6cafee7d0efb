import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Every state of a handler and every command: the answer, and that a refusal changes nothing.
@Suite(.timeLimit(.minutes(10))) struct HandlerStateTableTests {
  static let id = HandlerID.numbered(1)
  static let call = CallID.numbered(1)

  /// How a handler gets into a state; session 1 asks in the end.
  enum State: String, CaseIterable, Sendable {
    case absent, idle, running, runningElsewhere, released, retried
    case repeating, repeatingRunning, repeatingReleased, repeatingCalled
    case returned, failed
    case invalidated, invalidatedWhileRunning, invalidatedAfterRelease
    case invalidating, invalidatingReleased, invalidationFinished
  }

  enum Column: Int, CaseIterable, Sendable {
    case create, rebind, rebindOld, call, callOld, callUnknown
    case retry, retryOwn, retryOld, release, finish, finishOld, invalidate
  }

  static let table = """
    absent                  created notFound notFound notFound notFound notFound notFound notFound notFound notFound superseded superseded notFound
    idle                    exists rebound changed started changed unregistered finished finished finished superseded superseded superseded invalidated
    running                 exists rebound changed running running unregistered taken started taken released finished superseded invalidated
    runningElsewhere        exists rebound changed running running unregistered taken taken taken released finished superseded invalidated
    released                exists rebound changed running running unregistered started started superseded superseded finished superseded invalidated
    retried                 exists rebound changed running running unregistered taken started taken released finished superseded invalidated
    repeating               exists rebound changed started changed unregistered finished finished finished superseded superseded superseded invalidated
    repeatingRunning        exists rebound changed started changed unregistered taken started taken released finished superseded invalidated
    repeatingReleased       exists rebound changed started changed unregistered started started superseded superseded finished superseded invalidated
    repeatingCalled         exists rebound changed started changed unregistered finished finished finished superseded superseded superseded invalidated
    returned                exists finished finished finished finished finished finished finished finished superseded superseded superseded finished
    failed                  exists finished finished finished finished finished finished finished finished superseded superseded superseded finished
    invalidated             exists invalidated invalidated invalidated invalidated invalidated invalidated invalidated invalidated superseded superseded superseded already
    invalidatedWhileRunning exists invalidated invalidated invalidated invalidated invalidated taken invalidated taken released finished superseded already
    invalidatedAfterRelease exists invalidated invalidated invalidated invalidated invalidated invalidated invalidated invalidated superseded superseded superseded already
    invalidating            exists invalidated invalidated invalidated invalidated invalidated taken started taken released finished superseded already
    invalidatingReleased    exists invalidated invalidated invalidated invalidated invalidated started started superseded superseded finished superseded already
    invalidationFinished    exists invalidated invalidated invalidated invalidated invalidated finished finished finished superseded superseded superseded already
    """

  static let expected: [String: [String]] = Dictionary(
    uniqueKeysWithValues: table.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], Array(words.dropFirst()))
    })

  static func ledger(in state: State) throws -> PureLedger {
    var ledger = try PureLedger.withSessions()
    let isRepeating = state.rawValue.hasPrefix("repeating")
    if state != .absent {
      try ledger.commit(CreateHandler(id, isRepeating ? .repeating : .oneShot))
    }
    let start = StartCall(id, call)
    let release = ReleaseCall(id: id, call: call, attempt: 1, reason: .cancelled)
    switch state {
    case .absent, .idle, .repeating: break
    case .running, .repeatingRunning: try ledger.commit(start)
    case .runningElsewhere: try ledger.commit(start, as: 2)
    case .released, .repeatingReleased:
      try ledger.commit(start, as: 2)
      try ledger.commit(release, as: 2)
    case .retried:
      try ledger.commit(start, as: 2)
      try ledger.commit(release, as: 2)
      try ledger.commit(RetryCall(id: id, call: call, expectedAttempt: 1))
    case .repeatingCalled, .returned:
      try ledger.commit(start)
      try ledger.commit(FinishCall(id, call))
    case .failed:
      try ledger.commit(start)
      try ledger.commit(FinishCall(id, call, result: .failure))
    case .invalidated: try ledger.commit(InvalidateHandler(id, call, runsCode: false))
    case .invalidatedWhileRunning:
      try ledger.commit(start)
      try ledger.commit(InvalidateHandler(id, .numbered(9), runsCode: false))
    case .invalidatedAfterRelease:
      try ledger.commit(start)
      try ledger.commit(release)
      try ledger.commit(InvalidateHandler(id, .numbered(9), runsCode: false))
    case .invalidating: try ledger.commit(InvalidateHandler(id, call))
    case .invalidatingReleased:
      try ledger.commit(InvalidateHandler(id, call))
      try ledger.commit(release)
    case .invalidationFinished:
      try ledger.commit(InvalidateHandler(id, call))
      try ledger.commit(FinishCall(id, call))
    }
    return ledger
  }

  static func run(_ column: Column, in ledger: inout PureLedger) throws -> String {
    let entity = try ledger.state.handler(id)
    let attempt = entity?.openCalls[call]?.attempt ?? 1
    let binding = entity?.bound.position ?? .start
    let old = Position(rawValue: binding.rawValue &+ 1_000)
    func rebind(_ expected: Position) -> RebindHandler {
      RebindHandler(
        id: id, mode: .replaced, arguments: .sample(["a": 1]), expectedBinding: expected)
    }
    func retry(_ attempt: UInt32, mayTakeOwn: Bool = false) -> RetryCall {
      RetryCall(id: id, call: call, expectedAttempt: attempt, mayTakeOwn: mayTakeOwn)
    }
    switch column {
    case .create: return try ledger.commit(CreateHandler(id)).verdict
    case .rebind: return try ledger.commit(rebind(binding)).verdict
    case .rebindOld: return try ledger.commit(rebind(old)).verdict
    case .call:
      return try ledger.commit(StartCall(id, .numbered(2), expectedBinding: binding)).verdict
    case .callOld:
      return try ledger.commit(StartCall(id, .numbered(2), expectedBinding: old)).verdict
    case .callUnknown:
      return try ledger.commit(
        StartCall(
          id: id, call: .numbered(2), arguments: .none, expectedBinding: nil,
          runnableKinds: ["other"])
      ).verdict
    case .retry: return try ledger.commit(retry(attempt)).verdict
    case .retryOwn: return try ledger.commit(retry(attempt, mayTakeOwn: true)).verdict
    case .retryOld: return try ledger.commit(retry(attempt - 1, mayTakeOwn: true)).verdict
    case .release:
      return try ledger.commit(
        ReleaseCall(id: id, call: call, attempt: attempt, reason: .notRunnable)
      ).verdict
    case .finish: return try ledger.commit(FinishCall(id, call, attempt: attempt)).verdict
    case .finishOld: return try ledger.commit(FinishCall(id, call, attempt: attempt - 1)).verdict
    case .invalidate: return try ledger.commit(InvalidateHandler(id, .numbered(3))).verdict
    }
  }

  /// Whether a command with this answer writes something.
  static func writes(_ column: Column, _ verdict: String) -> Bool {
    switch column {
    case .create: verdict == "created"
    case .rebind, .rebindOld: verdict == "rebound"
    case .call, .callOld, .callUnknown, .retry, .retryOwn, .retryOld: verdict == "started"
    case .release: verdict == "released"
    case .finish, .finishOld: verdict == "finished"
    case .invalidate: verdict == "invalidated"
    }
  }

  @Test(arguments: State.allCases)
  func everyCommandAnswersAsTheTableSays(state: State) throws {
    let expected = try #require(Self.expected[state.rawValue])
    try #require(expected.count == Column.allCases.count)
    for column in Column.allCases {
      var ledger = try Self.ledger(in: state)
      let before = ledger.state.contents

      let verdict = try Self.run(column, in: &ledger)

      #expect(verdict == expected[column.rawValue], "\(state) \(column)")
      let isChanged = ledger.state.contents != before
      #expect(isChanged == Self.writes(column, verdict), "\(state) \(column)")
      #expect(try ledger.replayed().contents == ledger.state.contents, "\(state) \(column)")
      #expect(ledger.state.blocked.isEmpty, "\(column)")
    }
  }

  /// Its end could not be told from that of the call.
  @Test(
    arguments: [State.running, .runningElsewhere, .released, .repeatingRunning], [true, false])
  func anInvalidationWithTheIDOfAnUnfinishedCallIsRefused(state: State, runsCode: Bool) throws {
    var ledger = try Self.ledger(in: state)
    let before = ledger.state.contents
    let error = #expect(throws: LedgerError.self) {
      try ledger.commit(InvalidateHandler(Self.id, Self.call, runsCode: runsCode))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("\(Self.call)") == true)
    #expect(ledger.state.contents == before)
  }

  @Test(arguments: State.allCases)
  func anInvalidationThatWasCheckedWithAnOlderBindingIsDoneAgain(state: State) throws {
    var ledger = try Self.ledger(in: state)
    let before = ledger.state.contents
    let isActive = try ledger.state.handler(Self.id)?.status == .active
    let binding = try ledger.state.handler(Self.id)?.bound.position ?? .start
    func invalidate(_ expected: Position) throws -> String {
      try ledger.commit(
        InvalidateHandler(
          id: Self.id, call: .numbered(3), reason: "", arguments: .none, runsCode: true,
          expectedBinding: expected)
      ).verdict
    }
    let expected = Self.expected[state.rawValue]?[Column.invalidate.rawValue]
    #expect(try invalidate(binding.advanced(by: 1_000)) == (isActive ? "changed" : expected))
    #expect(ledger.state.contents == before)
    #expect(try invalidate(binding) == expected)
  }

  @Test(arguments: State.allCases)
  func theStatesMatchTheirNames(state: State) throws {
    let entity = try Self.ledger(in: state).state.handler(Self.id)
    let status: HandlerStatus? =
      switch state {
      case .absent: nil
      case .returned, .failed: .finished
      case _ where state.rawValue.hasPrefix("invalid"): .invalidated
      default: .active
      }
    #expect(entity?.status == status)
    let call = entity?.openCalls[Self.call]
    switch state {
    case .running, .repeatingRunning, .retried, .invalidating, .invalidatedWhileRunning:
      #expect(call?.runningSession == .numbered(1))
    case .runningElsewhere: #expect(call?.runningSession == .numbered(2))
    case .released, .repeatingReleased, .invalidatingReleased:
      #expect(call?.release?.reason == .cancelled)
    default: #expect(entity?.openCalls.isEmpty != false)
    }
    #expect(call?.attempt ?? 0 == (call == nil ? 0 : state == .retried ? 2 : 1))
  }
}
