import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The number of sessions and entries that one look takes, however many there are.
@Suite(.timeLimit(.minutes(10))) struct SessionRoundTests {
  private let store = WatchedStore()
  private let own = SessionID.numbered(1)
  private let maker: WatchedSession

  init() throws {
    maker = try WatchedSession(store, 1, clock: ManualLedgerClock(start: .at(1_000)))
  }

  private func open(_ numbers: ClosedRange<Int>) throws {
    try maker.commit(numbers.map { OpenForeignSession(id: .numbered($0)) })
  }

  private func close(_ number: Int) throws {
    try maker.commit([CloseSession(id: .numbered(number), reason: .died)])
  }

  private func state() throws -> LedgerState { try LedgerState.tail(of: store) }

  private func numbers(_ turn: SessionRound.Turn) -> [SessionID] { turn.sessions.map(\.id) }

  private func ids(_ numbers: ClosedRange<Int>) -> [SessionID] { numbers.map(SessionID.numbered) }

  @Test func aLookIsBoundedAndARoundSeesEachSessionOnce() throws {
    let count = 500
    try open(2...count)
    try store.fold()
    let state = try state()
    var round = SessionRound(of: own)
    for _ in 1...3 {
      var seen: [SessionID] = []
      while seen.count < count - 1 {
        let reads = try store.counting {
          let turn = numbers(try round.next(in: state))
          #expect(!turn.isEmpty && turn.count <= SessionRound.usualCount)
          seen += turn
        }
        // A record for each, and two slices of the list with the entry after each.
        #expect(reads.transactions <= SessionRound.usualCount + 3)
        #expect(reads.entries <= 2 * (SessionRound.usualCount + 2))
      }
      #expect(Set(seen).count == count - 1)
      #expect(!seen.contains(own))
    }
    #expect(round.knownCount == count - 1)
  }

  @Test func onceTheSnapshotIsListedItsListIsNotReadAgain() throws {
    try open(2...100)
    try store.fold()
    let state = try state()
    var round = SessionRound(of: own)
    for _ in 1...3 { _ = try round.next(in: state) }
    let reads = try store.counting {
      for _ in 1...10 { _ = try round.next(in: state) }
    }
    #expect(reads.entries == 0)
  }

  @Test func fewSessionsAreAllSeenEachTimeAndOnce() throws {
    try open(2...10)
    var round = SessionRound(of: own)
    round.add(ids(1...10), in: try state())
    for _ in 1...3 {
      #expect(Set(numbers(try round.next(in: try state()))) == Set(ids(2...10)))
      #expect(round.knownCount == 9)
    }
  }

  @Test func newSessionsComeFirstAndDelayNoOthers() throws {
    try open(2...200)
    var round = SessionRound(of: own)
    round.add(ids(2...150), in: try state())
    var seen = Set(numbers(try round.next(in: try state())))
    for number in 151...200 {
      round.add(ids(number...number), in: try state())
      let turn = numbers(try round.next(in: try state()))
      #expect(turn.first == .numbered(number), "\(number)")
      seen.formUnion(turn)
    }
    #expect(seen == Set(ids(2...200)))
  }

  @Test func sessionsThatEndedAreForgotten() throws {
    try open(2...10)
    var round = SessionRound(of: own)
    round.add(ids(1...10), in: try state())
    try close(4)
    let turn = try round.next(in: try state())
    #expect(turn.ended == [.numbered(4)])
    #expect(Set(numbers(turn)) == Set(ids(2...10)).subtracting([.numbered(4)]))
    #expect(round.knownCount == 8)
    // One that ended before it was told of is not even looked up.
    round.add([.numbered(4)], in: try state())
    #expect(try round.next(in: try state()).ended.isEmpty)
  }

  /// Its opening is of a version that this build does not know.
  @Test func aSessionThatCannotBeReadIsNotTakenForEnded() throws {
    var round = SessionRound(of: own)
    round.add([.numbered(2)], in: try state())
    let turn = try round.next(in: try state())
    #expect(turn.sessions.isEmpty && turn.ended.isEmpty)
    #expect(round.knownCount == 0)
  }

  @Test func deadSessionsMakeTheNextLooksLonger() throws {
    try open(2...700)
    var round = SessionRound(of: own)
    round.add(ids(2...700), in: try state())
    var counts: [Int] = []
    for deadCount in [64, 1, 256, 0, 0] {
      let turn = try round.next(in: try state())
      counts.append(turn.sessions.count)
      round.noteDead(deadCount)
    }
    #expect(counts == [64, 128, 256, 256, 64])
  }

  @Test func afterAResetEverythingIsListedAnew() throws {
    try open(2...80)
    try store.fold()
    var round = SessionRound(of: own)
    _ = try round.next(in: try state(), limit: 256)
    #expect(round.knownCount == 79)
    round.reset()
    #expect(round.knownCount == 0)
    #expect(Set(numbers(try round.next(in: try state(), limit: 256))) == Set(ids(2...80)))
  }

  @Test func everyoneHasATurnHoweverOftenItIsReset() throws {
    try open(2...300)
    try store.fold()
    let state = try state()
    var round = SessionRound(of: own)
    var seen: Set<SessionID> = []
    for _ in 1...6 {
      round.reset()
      seen.formUnion(numbers(try round.next(in: state)))
    }
    #expect(seen == Set(ids(2...300)))
    // And once it is left alone each is known once.
    for _ in 1...6 { _ = try round.next(in: state) }
    #expect(round.knownCount == 299)
  }
}

extension SessionRound {
  /// How many sessions it knows.
  fileprivate var knownCount: Int { waiting.count + done.count }
}
