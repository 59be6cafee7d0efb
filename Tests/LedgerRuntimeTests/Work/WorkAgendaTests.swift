import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The due work that a runner remembers, and the searches for more.
@Suite(.timeLimit(.minutes(5)))
struct WorkAgendaTests {
  private static let kinds: Set = ["a", "b", "c"]

  private let lab: WorkLedger

  init() throws { lab = try WorkLedger() }

  private func candidate(_ number: Int, _ kind: String, order: Int? = nil) -> WorkCandidate {
    WorkCandidate(
      id: .numbered(number), kind: kind, lane: nil, order: .at(Int64(order ?? number)),
      created: Position(rawValue: UInt64(number)), excludedBy: nil)
  }

  /// An agenda of a runner that has looked through all work.
  private func agenda(of kinds: Set<String> = Self.kinds, limit: Int = 100) -> WorkAgenda {
    var agenda = WorkAgenda(of: kinds, limit: limit)
    agenda.begin(agenda.searchPlan(at: .at(0)))
    agenda.endSearch(DueWork())
    return agenda
  }

  // MARK: Searches

  @Test func atFirstAllKindsAreSearched() {
    let agenda = WorkAgenda(of: Self.kinds, limit: 100)
    #expect(agenda.searchPlan(at: .at(0)) == .init(kinds: Self.kinds))
  }

  @Test func aTimeThatComesSearchesTheTimesOfItsKind() {
    var agenda = agenda()
    var found = DueWork()
    found.nextTimes = ["a": .at(10), "b": .at(20)]
    agenda.add(found)
    #expect(agenda.nextTime == .at(10))
    #expect(agenda.searchPlan(at: .at(9)).kinds.isEmpty)
    let plan = agenda.searchPlan(at: .at(10))
    #expect(plan == .init(kinds: ["a"], coversOnlyTimes: true))
    agenda.begin(plan)
    #expect(!agenda.isDone)
    agenda.endSearch(DueWork())
    #expect(agenda.isDone && agenda.nextTime == .at(20))
    #expect(agenda.searchPlan(at: .at(20)) == .init(kinds: ["b"], coversOnlyTimes: true))
  }

  @Test func aKindOfWhichMoreMayBeDueIsSearchedWhenNoneIsKnown() {
    var agenda = agenda()
    var found = DueWork()
    found.candidates = [candidate(1, "a")]
    found.incompleteKinds = ["a"]
    found.nextTimes = ["b": .at(20)]
    agenda.add(found)
    #expect(agenda.searchPlan(at: .at(19)).kinds.isEmpty)
    // New work waits for the search.
    agenda.add(candidate(2, "a"))
    #expect(agenda.takeFirst { _ in true }?.id == .numbered(1))
    #expect(agenda.searchPlan(at: .at(19)) == .init(kinds: ["a"]))
    #expect(agenda.searchPlan(at: .at(20)) == .init(kinds: ["a", "b"]))
  }

  /// A session that creates work all the time would otherwise never come to older work.
  @Test func newWorkDoesNotHideThatOlderWorkWasMissed() {
    var agenda = WorkAgenda(of: ["a"], limit: 100)
    for number in [5, 4] {
      agenda.add(candidate(number, "a"))
      #expect(agenda.searchPlan(at: .at(0)) == .init(kinds: ["a"]))
      agenda.begin(agenda.searchPlan(at: .at(0)))
      var found = DueWork()
      found.candidates = [candidate(number - 3, "a")]
      agenda.endSearch(found)
      #expect(agenda.searchPlan(at: .at(0)).kinds.isEmpty)
      #expect(agenda.takeFirst { _ in true }?.id == .numbered(number - 3))
      agenda.noteMissed()
    }
  }

  @Test func newWorkDoesNotOvertakeWhatASearchLeftOut() {
    var agenda = WorkAgenda(of: ["a"], limit: 2)
    agenda.add(candidate(9, "a"))
    agenda.begin(agenda.searchPlan(at: .at(0)))
    var found = DueWork()
    found.candidates = [candidate(1, "a"), candidate(3, "a")]
    found.incompleteKinds = ["a"]
    agenda.endSearch(found)
    #expect(agenda.takeFirst { _ in true }?.id == .numbered(1))
    agenda.add(candidate(2, "a"))
    #expect(agenda.takeFirst { _ in true }?.id == .numbered(2))
    agenda.add(candidate(8, "a"))
    #expect(agenda.takeFirst { _ in true }?.id == .numbered(3))
    #expect(agenda.takeFirst { _ in true } == nil && agenda.count == 0)
    #expect(agenda.searchPlan(at: .at(0)) == .init(kinds: ["a"]))
  }

  @Test func aSearchOfTimesDoesNotHideThatMoreMayBeDue() {
    var agenda = agenda()
    var found = DueWork()
    found.candidates = [candidate(1, "a")]
    found.incompleteKinds = ["a"]
    found.nextTimes = ["a": .at(20)]
    agenda.add(found)
    agenda.begin(agenda.searchPlan(at: .at(20)))
    agenda.endSearch(DueWork())
    _ = agenda.takeFirst { _ in true }
    #expect(!agenda.isDone && agenda.searchPlan(at: .at(20)) == .init(kinds: ["a"]))
  }

  @Test func noWorkIsKnownToBeDoneUntilTheSearchForMoreHasEnded() {
    var agenda = WorkAgenda(of: Self.kinds, limit: 100)
    #expect(!agenda.isDone)
    agenda.begin(agenda.searchPlan(at: .at(0)))
    #expect(!agenda.isDone)
    // It failed.
    agenda.noteMissed()
    #expect(!agenda.isDone)
    agenda.begin(agenda.searchPlan(at: .at(0)))
    agenda.endSearch(DueWork())
    #expect(agenda.isDone)
  }

  @Test func lanesAreLookedAtInSlices() {
    var agenda = agenda()
    var found = DueWork()
    found.lanes = ["one", "two", "three"]
    agenda.add(found)
    let lanes = [2, 2, 2].map { agenda.takeLanesToSearch(atMost: $0) }
    #expect(lanes.map(\.count) == [2, 1, 0] && lanes[0].union(lanes[1]) == found.lanes)
    #expect(agenda.isDone)
  }

  // MARK: The limit

  @Test(arguments: TestAmount.seeds(50))
  func theFirstWorkOfEachKindIsRememberedWithinOneLimit(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let kinds = (1...Int.random(in: 1...12, using: &generator)).map { "kind \($0)" }
    let limit = Int.random(in: 1...8, using: &generator)
    var agenda = agenda(of: Set(kinds), limit: limit)
    var all: [String: [WorkCandidate]] = [:]
    for number in 1...60 {
      // Most work is of one kind.
      let kind = generator.chance(1, of: 2) ? kinds[0] : kinds.randomElement(using: &generator)
      let order = Int.random(in: 0...1_000, using: &generator)
      let candidate = candidate(number, kind ?? kinds[0], order: order)
      agenda.add(candidate)
      all[candidate.kind, default: []].append(candidate)
      #expect(agenda.count <= max(limit, all.count))
    }
    var counts: [String: Int] = [:]
    while let next = agenda.takeFirst(where: { _ in true }) {
      let index = counts[next.kind, default: 0]
      #expect(next == all[next.kind]?.sorted()[index], "seed \(seed)")
      counts[next.kind] = index + 1
    }
    for (kind, candidates) in all {
      let count = counts[kind] ?? 0
      #expect(count > 0, "seed \(seed): \(kind) starves")
      // What is forgotten is searched for.
      let isSearched = agenda.searchPlan(at: .at(0)).kinds.contains(kind)
      #expect(isSearched == (count < candidates.count), "seed \(seed)")
    }
    #expect(agenda.count == 0)
  }

  @Test func aKindWithMuchDueWorkMakesRoomForOthers() {
    var agenda = agenda(limit: 6)
    for number in 1...6 { agenda.add(candidate(number, "a")) }
    for number in 7...12 { agenda.add(candidate(number, "b")) }
    var taken: [Int: String] = [:]
    for index in 0..<6 { taken[index] = agenda.takeFirst { _ in true }?.kind }
    #expect(taken.values.count { $0 == "a" } == 3 && taken.values.count { $0 == "b" } == 3)
  }

  @Test func suspectsThatAreReleasedCountToo() {
    var agenda = agenda(limit: 2)
    for number in 1...3 { agenda.setAside(suspect: candidate(number, "a")) }
    agenda.add(candidate(4, "b"))
    agenda.releaseSuspects()
    #expect(agenda.count == 2)
    #expect(agenda.takeFirst { $0 == "a" }?.id == .numbered(1))
    #expect(agenda.takeFirst { $0 == "b" }?.id == .numbered(4))
    #expect(agenda.searchPlan(at: .at(0)).kinds == ["a"])
  }

  // MARK: Sessions

  /// An app extension with more due work of two kinds than it remembers.
  private func busyExtension() async throws -> Ledger {
    let ledger = try await lab.open(as: .appExtension, other: { $0 })
    for _ in 0..<100 { try await ledger.start(ScriptedWork()) }
    for _ in 0..<70 { try await ledger.start(OtherWork()) }
    return ledger
  }

  @Test func anExtensionRemembersSixtyFourWorksOfAllKindsTogether() async throws {
    let ledger = try await busyExtension()
    let loop = try WorkLoop(ledger, kinds: nil, RunnerLimits(total: 100))
    try loop.begin()
    try await loop.look()
    #expect(loop.contents.withLock { $0.agenda.count } == 64)
    let taken = loop.takeDue()
    #expect(taken.contains { $0.kind == ScriptedWork.kind })
    #expect(taken.contains { $0.kind == OtherWork.kind })
    loop.end()
    // The loop alone does not keep the session open.
    await ledger.close()
  }

  @Test func anExtensionDrainsMoreWorkThanItRemembers() async throws {
    let ledger = try await busyExtension()
    #expect(try await LedgerRunner(ledger).drain(until: .now + .seconds(600)))
    #expect(try await ledger.openWork().isEmpty)
  }
}
