import LedgerLinearizability
import LedgerTestSupport
import Testing

/// The checker, on histories that were made by hand.
@Suite(.timeLimit(.minutes(10))) struct LinearizabilityCheckerTests {
  /// A number that is written and read.
  enum Register: Specification {
    enum Request: Sendable, Hashable {
      case write(Int)
      case read
      /// Waits for a number other than 0.
      case awaitNumber
    }

    static var initial: Int { 0 }

    static func ways(of request: Request, in state: Int) -> [Way<Int>] {
      switch request {
      case .write(let number): [Way("written", number)]
      case .read: [Way("\(state)", state)]
      case .awaitNumber: state == 0 ? [] : [Way("\(state)", state)]
      }
    }
  }

  typealias Call = ObservedCall<Register.Request>

  private static func isLinearizable(_ calls: [Call]) -> Bool? {
    switch LinearizabilityChecker<Register>().check(calls) {
    case .linearizable: true
    case .violation: false
    case .undecided: nil
    }
  }

  private static func write(_ number: Int, _ called: Int64, _ returned: Int64?) -> Call {
    Call("write", .write(number), answer: "written", called: called, returned: returned)
  }

  private static func read(_ number: Int, _ called: Int64, _ returned: Int64) -> Call {
    Call("read", .read, answer: "\(number)", called: called, returned: returned)
  }

  @Test(arguments: [
    ("no call", [], true),
    ("one after the other", [write(1, 0, 1), read(1, 2, 3)], true),
    ("a read of what was never written", [read(1, 0, 1)], false),
    ("a read of an overwritten number", [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)], false),
    ("a read beside the write may see it", [write(1, 0, 9), read(1, 2, 3)], true),
    ("a read beside the write may miss it", [write(1, 0, 9), read(0, 2, 3)], true),
    ("two reads beside a write", [write(1, 0, 9), read(0, 1, 2), read(1, 3, 4)], true),
    ("no read goes back", [write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)], false),
    (
      "reads beside each other may differ", [write(1, 0, 9), read(1, 1, 4), read(0, 2, 3)],
      true
    ),
    (
      "writes beside each other have one order",
      [write(1, 0, 9), write(2, 0, 9), read(1, 10, 11), read(2, 12, 13)], false
    ),
    (
      "a write is carried out once",
      [write(1, 0, 20), write(2, 0, 20), read(1, 1, 2), read(2, 3, 4), read(1, 5, 6)], false
    ),
    ("a call and a return at one time overlap", [write(1, 0, 5), read(0, 5, 6)], true),
    (
      "a call that begins right after a return does not", [write(1, 0, 5), read(0, 6, 7)], false
    ),
  ])
  func aHistoryIsJudged(name: String, calls: [Call], isGood: Bool) {
    #expect(Self.isLinearizable(calls) == isGood, "\(name)")
    #expect(Self.isLinearizable(calls.reversed()) == isGood, "\(name), in another order")
  }

  // MARK: Unknown outcomes

  private static func unknownWrite(_ number: Int, _ called: Int64, _ returned: Int64?) -> Call {
    Call("unknown", .write(number), answer: nil, called: called, returned: returned)
  }

  @Test(arguments: [0, 1])
  func anUnknownRequestMayHaveBeenCarriedOutOrNot(read number: Int) {
    #expect(Self.isLinearizable([Self.unknownWrite(1, 0, 5), Self.read(number, 6, 7)]) == true)
  }

  @Test func anUnknownRequestIsCarriedOutOnce() {
    let calls = [
      Self.unknownWrite(1, 0, 9), Self.write(2, 10, 11), Self.read(1, 12, 13),
    ]
    #expect(Self.isLinearizable(calls) == false)
  }

  @Test func aRequestWithoutAnEndMayBeCarriedOutAtAnyTime() {
    let late = [
      Self.unknownWrite(1, 0, nil), Self.write(2, 10, 11), Self.read(2, 12, 13),
      Self.read(1, 14, 15),
    ]
    #expect(Self.isLinearizable(late) == true)
    #expect(Self.isLinearizable(late + [Self.read(2, 16, 17)]) == false)
  }

  @Test func aRequestIsNotCarriedOutAfterTheDeathOfItsCaller() {
    let calls = [Self.unknownWrite(1, 0, 5), Self.read(0, 6, 7), Self.read(1, 8, 9)]
    #expect(Self.isLinearizable(calls) == false)
  }

  // MARK: Waiting

  @Test func aRequestThatWaitsIsCarriedOutWhenItCan() {
    let wait = Call("wait", .awaitNumber, answer: "1", called: 0, returned: 9)
    #expect(Self.isLinearizable([wait, Self.write(1, 2, 3)]) == true)
    #expect(Self.isLinearizable([wait]) == false)
    #expect(Self.isLinearizable([wait, Self.write(1, 10, 11)]) == false)
  }

  // MARK: Findings

  @Test func aViolationNamesTheCallAndWhatWasPossible() throws {
    let checker = LinearizabilityChecker<Register>()
    let calls = [Self.write(1, 0, 1_000), Self.read(7, 2_000, 3_000), Self.read(1, 4_000, 5_000)]
    guard case .violation(let violation) = checker.check(calls) else {
      Issue.record("no violation")
      return
    }
    #expect(violation.states == [1])
    #expect(
      "\(violation)" == """
        no moment for read: read -> 7
        possible states before its return: 1
          0–1 µs  write: write(1) -> written
          2–3 µs  read: read -> 7
        """)
  }

  @Test func aSearchThatIsTooLongIsUndecidedNotGood() {
    let calls = (0..<20).map { Self.write($0, 0, 100) } + [Self.read(99, 101, 102)]
    guard case .undecided = LinearizabilityChecker<Register>(limit: 1_000).check(calls) else {
      Issue.record("it was decided")
      return
    }
  }

  // MARK: Against a search of all orders

  /// Carries the calls out in every order that their times allow.
  private static func searchAll(_ calls: [Call], from state: Int = 0) -> Bool {
    if calls.allSatisfy({ $0.answer == nil }) { return true }
    for (index, call) in calls.enumerated() {
      // Nothing that returned before this call may come after it.
      guard
        !calls.contains(where: { other in
          (other.returned ?? .max) < call.called
        })
      else { continue }
      var rest = calls
      rest.remove(at: index)
      if call.answer == nil, searchAll(rest, from: state) { return true }
      for way in Register.ways(of: call.request, in: state) {
        let next = searchStep(way, call)
        if let next, searchAll(rest, from: next) { return true }
      }
    }
    return false
  }

  private static func searchStep(_ way: Way<Int>, _ call: Call) -> Int? {
    call.answer == nil || call.answer == way.answer ? way.next : nil
  }

  @Test func randomHistoriesAreJudgedAsByASearchOfAllOrders() {
    var generator = SeededGenerator(seed: 1)
    var counts = [true: 0, false: 0]
    for number in 0..<3_000 {
      let calls = (0..<Int.random(in: 2...5, using: &generator)).map { index in
        let called = Int64.random(in: 0..<12, using: &generator)
        let isUnknown = Int.random(in: 0..<6, using: &generator) == 0
        let returned = called + Int64.random(in: 1..<6, using: &generator)
        let value = Int.random(in: 0..<3, using: &generator)
        let isWrite = Bool.random(using: &generator)
        return Call(
          "\(index)", isWrite ? .write(value) : .read,
          answer: isUnknown ? nil : isWrite ? "written" : "\(value)", called: called,
          returned: returned)
      }
      let isGood = Self.searchAll(calls)
      counts[isGood, default: 0] += 1
      #expect(Self.isLinearizable(calls) == isGood, "history \(number): \(calls)")
    }
    #expect(counts.values.allSatisfy { $0 > 300 }, "\(counts)")
  }
}
