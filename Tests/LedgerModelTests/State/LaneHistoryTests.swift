import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Random histories of lanes: each claim is answered by the rules, and no lane is ever too full.
@Suite(.timeLimit(.minutes(20))) struct LaneHistoryTests {
  /// The rules of lanes, from the definition: over all work, one claim after the other.
  struct Oracle {
    struct Member {
      let created: Position
      let lane: WorkLane
      let trigger: WorkTrigger?
      var isRunning: Bool
      var hasStarted: Bool
      let isParked: Bool
    }

    var members: [PromiseID: Member] = [:]
    private let isDue: [PromiseID: Bool]

    init(_ state: LedgerState, at now: Timestamp) throws {
      var isDue: [PromiseID: Bool] = [:]
      for work in try state.openWork() {
        guard let place = work.workPlace, let lane = place.lane else { continue }
        members[work.id] = Member(
          created: place.created, lane: lane, trigger: place.trigger,
          isRunning: place.isRunning, hasStarted: place.hasStarted, isParked: place.isParked)
        switch place.trigger {
        case nil: isDue[work.id] = false
        case .now: isDue[work.id] = true
        case .at(let time): isDue[work.id] = time <= now
        case .after(let id, let settlement):
          let promise = try state.promise(id)
          let isFulfilled = promise?.resolution?.outcome == .fulfilled
          isDue[work.id] =
            promise?.status != .pending
            && (settlement == .any || isFulfilled == (settlement == .fulfilled))
        case .firstOf(let condition):
          let isTime = condition.time.map { $0 <= now } ?? false
          isDue[work.id] = try condition.promises.reduce(isTime) { isDue, id in
            try state.promise(id)?.status != .pending || isDue
          }
        }
      }
      self.isDue = isDue
    }

    func runningCounts() -> [String: (count: Int, width: Int)] {
      Dictionary(grouping: members.values.filter(\.isRunning), by: \.lane.name).mapValues { all in
        (all.count, all.map(\.lane.width).min() ?? 0)
      }
    }

    /// Whether due work may start; if so, it is noted.
    mutating func starts(_ id: PromiseID) -> Bool? {
      guard let own = members[id], isDue[id] ?? false, !own.isRunning else { return nil }
      let others = members.filter {
        $0.key != id && $0.value.lane.name == own.lane.name && !$0.value.isParked
      }
      let holders = others.values.filter(\.hasStarted)
      let width = (holders.map(\.lane.width) + [own.lane.width]).min() ?? 0
      guard holders.count(where: \.isRunning) < width else { return false }
      if !own.hasStarted {
        let earlier = others.count { other, member in
          !member.hasStarted && member.created < own.created && isDue[other] ?? false
        }
        guard holders.count + earlier < width else { return false }
      }
      members[id]?.isRunning = true
      members[id]?.hasStarted = true
      return true
    }
  }

  /// Makes claims in two commands of one commit, and compares the answers with the rules.
  private func make(_ claims: RandomWork.Claims, in ledger: WorkLedger, _ where: String) throws {
    var oracle = try Oracle(ledger.state, at: ledger.context.now)
    let own = ledger.context.session
    ledger.context.session = .numbered(claims.session)
    defer { ledger.context.session = own }
    let middle = claims.ids.count / 2
    let parts = [Array(claims.ids[..<middle]), Array(claims.ids[middle...])]
    let answers = try ledger.decide { (decision) throws(LedgerError) -> [String] in
      var answers: [String] = []
      for part in parts {
        answers += try decision.run(ClaimWork(part, runnableKinds: ["k"])).map(\.text)
      }
      return answers
    }
    var startedLanes: Set<String> = []
    for (id, answer) in zip(claims.ids, answers) {
      // Given up, which the oracle leaves out.
      if answer == "ended" { oracle.members[id] = nil }
      let name = answer.hasPrefix("started") ? "started" : answer
      switch oracle.starts(id) {
      case true?:
        #expect(name == "started", "\(`where`), \(id)")
        startedLanes.insert(oracle.members[id]?.lane.name ?? "")
      case false?: #expect(name == "lane full", "\(`where`), \(id)")
      case nil:
        #expect(
          ["ended", "running", "parked", "not due", "excluded"].contains(name),
          "\(`where`), \(id): \(name)")
      }
    }
    // An operator may narrow a lane whose work runs; then no more is started.
    let running = try Oracle(ledger.state, at: ledger.context.now).runningCounts()
    for lane in startedLanes {
      let (count, width) = running[lane] ?? (0, 0)
      #expect(count > 0 && count <= width, "\(`where`), \(lane)")
    }
  }

  @Test(arguments: TestAmount.seeds(30))
  func claimsAreAnsweredByTheRules(seed: UInt64) throws {
    var histories = try [WorkLedger.Form.inMemory, .folded].map { try RandomWork(seed: seed, $0) }
    for index in histories.indices { histories[index].hasOnlyLanes = true }
    for step in 0..<50 {
      for index in histories.indices {
        guard let claims = try histories[index].step() else { continue }
        try make(claims, in: histories[index].ledger, "seed \(seed), step \(step)")
      }
      // Where the state is makes no difference.
      let batches = histories.map { $0.ledger.batches.last?.bytes }
      try #require(batches[0] == batches[1], "seed \(seed), step \(step)")
    }
  }
}
