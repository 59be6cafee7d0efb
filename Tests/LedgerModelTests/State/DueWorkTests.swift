import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The search of runners for due work, compared with a look at each work.
@Suite(.timeLimit(.minutes(20))) struct DueWorkTests {
  private static let kinds = ["k0", "k1", "k2"]
  private static let kindSets: [Set<String>] = [["k0", "k1", "k2"], ["k1"], ["k0", "x"], []]

  private func history(
    seed: UInt64, _ form: WorkLedger.Form, isPrioritized: Bool = true
  ) throws -> RandomWork {
    var history = try RandomWork(seed: seed, form)
    history.kinds = Self.kinds
    history.isPrioritized = isPrioritized
    for _ in 0..<90 {
      guard let claims = try history.step() else { continue }
      let command = ClaimWork(claims.ids, runnableKinds: Set(Self.kinds))
      try history.ledger.commit(command, as: claims.session)
    }
    return history
  }

  /// Some work, and a promise that is awaited, can no longer be written to.
  private func block(_ history: inout RandomWork) throws {
    for number in [history.work(), history.work(), 1] {
      let id = PromiseID.numbered(number).entityID
      try history.ledger.append([.raw(EventKind(rawValue: 999), on: id)])
    }
  }

  @Test(arguments: TestAmount.seeds(4), WorkLedger.Form.allCases)
  func allDueWorkIsFound(seed: UInt64, form: WorkLedger.Form) throws {
    try forEachMoment(seed: seed, form) { state, now, kinds in
      let expected = try DueWorkOracle(state, at: now, kinds: kinds)
      let search = WorkSearch(now: now, kinds: kinds, limit: .max, laneLimit: .max)
      let found = try state.dueWork(search)
      #expect(found.candidates == (expected.next(.max) + expected.followers).sorted())
      #expect(found.nextTimes == expected.nextTimes)
      #expect(found.incompleteKinds.isEmpty)
    }
  }

  /// Runs `body` at several times, and with several sets of kinds, on the state of a random history.
  private func forEachMoment(
    seed: UInt64, _ form: WorkLedger.Form,
    _ body: (LedgerState, Timestamp, Set<String>) throws -> Void
  ) throws {
    var history = try history(seed: seed, form)
    if seed.isMultiple(of: 2) { try block(&history) }
    for kinds in Self.kindSets {
      for delay in [-100, 0, 30, 1_000] {
        try body(history.ledger.state, history.ledger.context.now + .seconds(delay), kinds)
      }
    }
  }

  @Test(arguments: TestAmount.seeds(4), WorkLedger.Form.allCases)
  func aSearchOfTimesFindsTheWorkWhoseTimeHasCome(seed: UInt64, form: WorkLedger.Form) throws {
    try forEachMoment(seed: seed, form) { state, now, kinds in
      let expected = try DueWorkOracle(state, at: now, kinds: kinds)
      let timed = try expected.due.filter { candidate in
        let trigger = try state.promise(candidate.id)?.workPlace?.trigger
        return trigger?.time.map { $0 <= now } ?? false
      }
      let search = WorkSearch(
        now: now, kinds: kinds, limit: .max, laneLimit: .max, looksOnlyAtTimes: true)
      let found = try state.dueWork(search)
      let all = try comparable(found.candidates, state, form)
      let dueByTime = try comparable(timed, state, form)
      #expect(
        try comparable(expected.next(.max), state, form).intersection(dueByTime).isSubset(of: all))
      // Of the lanes of this work, all due work is found.
      let lanes = Set(timed.compactMap(\.lane))
      #expect(
        all.allSatisfy { candidate in
          dueByTime.contains(candidate) || candidate.lane.map(lanes.contains) ?? false
        })
      #expect(found.nextTimes == expected.nextTimes && found.joints.isEmpty)
    }
  }

  @Test(arguments: TestAmount.seeds(4), WorkLedger.Form.allCases)
  func workThatBecameDueIsFoundAmongTheChanges(seed: UInt64, form: WorkLedger.Form) throws {
    var history = try history(seed: seed, form)
    if seed.isMultiple(of: 2) { try block(&history) }
    let state = history.ledger.state
    let now = history.ledger.context.now
    for count in [0, 1, 5, 40] {
      var ids = Set((0..<count).map { _ in PromiseID.numbered(history.work()) })
      // Promises that are awaited; one that does not exist.
      for number in [1, 2, 3, 999] where history.generator.chance(1, of: 2) {
        ids.insert(.numbered(number))
      }
      for kinds in Self.kindSets {
        let expected = try DueWorkOracle(state, at: now, kinds: kinds, among: ids)
        let search = WorkSearch(now: now, kinds: kinds, limit: .max, laneLimit: .max)
        let found = try state.dueWork(among: ids, search)
        // As a runner does it.
        let lanes = found.lanes.union(found.freedLanes)
        let more = try state.dueWork(inLanes: lanes, awaiting: found.awaited, search)
        let all = try comparable(found.candidates + more.candidates, state, form)
        let alone = try comparable(
          (expected.due + expected.followers).filter { $0.lane == nil || $0.excludedBy != nil },
          state, form)
        let heldBack = try comparable(expected.heldBack, state, form)
        #expect(Set(alone).isSubset(of: all))
        let due = Set(all.filter { $0.lane != nil && $0.excludedBy == nil }).subtracting(heldBack)
        let dueLanes = Set(expected.due.compactMap(\.lane)).union(due.compactMap(\.lane))
        #expect(
          try due == comparable(dueLanes.flatMap { expected.heads(of: $0, .max) }, state, form))
        #expect(all.subtracting(alone).allSatisfy { $0.lane != nil })
        let time = [found.nextTime, more.nextTime].compactMap(\.self).min()
        #expect(expected.nextTime.map { $0 >= time ?? $0 } ?? true)
        // Work whose options changed may have been in other lanes.
        let wereAmended = try ids.contains { id in
          guard let work = try state.readablePromise(id), work.isWork else { return false }
          return work.progress?.options != nil
        }
        #expect(found.incompleteKinds == (wereAmended ? kinds : []))
        #expect(more.incompleteKinds.isEmpty)
      }
    }
  }

  /// Candidates without their order, if they may be in the snapshot and await several promises: a search of changes or
  /// of times does not look at all of these.
  private func comparable(
    _ candidates: [WorkCandidate], _ state: LedgerState, _ form: WorkLedger.Form
  ) throws -> Set<WorkCandidate> {
    guard form != .inMemory else { return Set(candidates) }
    return try Set(
      candidates.map { candidate in
        guard case .firstOf? = try state.promise(candidate.id)?.workPlace?.trigger else {
          return candidate
        }
        return WorkCandidate(
          id: candidate.id, kind: candidate.kind, lane: candidate.lane, order: .at(0),
          created: candidate.created, excludedBy: candidate.excludedBy)
      })
  }

  @Test(arguments: TestAmount.seeds(4), WorkLedger.Form.allCases)
  func theFirstDueWorkOfEachKindIsFound(seed: UInt64, form: WorkLedger.Form) throws {
    let history = try history(seed: seed, form, isPrioritized: false)
    let state = history.ledger.state
    let now = history.ledger.context.now + .seconds(30)
    for kinds in Self.kindSets {
      let all = try DueWorkOracle(state, at: now, kinds: kinds)
      for (limit, laneLimit) in [(1, 1), (2, 1), (3, .max), (4, 2), (50, 1)] {
        let search = WorkSearch(now: now, kinds: kinds, limit: limit, laneLimit: laneLimit)
        let found = try state.dueWork(search)
        let (due, more) = all.first(limit, ofLane: laneLimit)
        #expect(found.candidates.filter { $0.excludedBy == nil } == due, "\(limit), \(laneLimit)")
        check(found, all, kinds, more, "\(limit), \(laneLimit)")
      }
    }
  }

  /// The order of priorities is kept among the work that is found, but work behind the limit may have a higher
  /// priority; in memory, only work of a lane whose older work, with a lower one, is behind the limit, too.
  @Test(arguments: TestAmount.seeds(4), WorkLedger.Form.allCases)
  func asMuchDueWorkIsFoundAsTheLimitsAllow(seed: UInt64, form: WorkLedger.Form) throws {
    let history = try history(seed: seed, form)
    let state = history.ledger.state
    let now = history.ledger.context.now + .seconds(30)
    for kinds in Self.kindSets {
      let all = try DueWorkOracle(state, at: now, kinds: kinds)
      for (limit, laneLimit) in [(1, 1), (2, 1), (3, .max), (4, 2), (50, 1)] {
        let search = WorkSearch(now: now, kinds: kinds, limit: limit, laneLimit: laneLimit)
        let found = try state.dueWork(search)
        let due = found.candidates.filter { $0.excludedBy == nil }
        let (expected, more) = all.first(limit, ofLane: laneLimit)
        #expect(Set(due).isSubset(of: all.due) && found.candidates == found.candidates.sorted())
        for kind in kinds {
          #expect(
            due.count { $0.kind == kind } == expected.count { $0.kind == kind },
            "\(kind), \(limit), \(laneLimit)")
        }
        if form == .inMemory {
          for candidate in expected where !due.contains(candidate) {
            #expect(
              all.isBehindLowerPriority(candidate, besides: due), "\(limit), \(laneLimit)")
          }
        }
        check(found, all, kinds, more, "\(limit), \(laneLimit)")
      }
    }
  }

  /// - Parameter more: The kinds of which there is more due work.
  private func check(
    _ found: DueWork, _ all: DueWorkOracle, _ kinds: Set<String>, _ more: Set<String>,
    _ limits: Comment
  ) {
    let followers = found.candidates.filter { $0.excludedBy != nil }
    #expect(Set(followers).isSubset(of: all.followers))
    if followers == all.followers {
      #expect(found.incompleteKinds == more, limits)
    } else {
      // They are of any kind.
      #expect(found.incompleteKinds == kinds, limits)
    }
    for kind in kinds.subtracting(found.incompleteKinds) {
      #expect(found.nextTimes[kind] == all.nextTimes[kind], limits)
    }
  }

  // MARK: Next times

  @Test(arguments: WorkLedger.Form.allCases)
  func theEarliestOfSeveralTimesIsTheNext(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    let now = ledger.context.now
    for (number, delay) in [(11, 200), (12, 100), (13, 300)] {
      try ledger.create(number, .at(now + .seconds(delay)))
    }
    let search = WorkSearch(now: now, kinds: ["k"], limit: .max, laneLimit: .max)
    let ids = Set((11...13).map(PromiseID.numbered))
    let found = [try ledger.state.dueWork(search), try ledger.state.dueWork(among: ids, search)]
    for found in found { #expect(found.nextTimes == ["k": now + .seconds(100)]) }
  }

  // MARK: Full lanes

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatKeepsItsPlaceInAFullLaneIsFound(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    for number in 11...12 { try ledger.create(number, options: .lane(width: 1)) }
    try ledger.claim(11)
    try ledger.commit(
      SuspendWork(
        id: .numbered(11), attempt: 1, until: WorkCondition(promises: [.numbered(1)])))
    #expect(try ledger.claim(12) == ["lane full"])
    try ledger.resolve(1)
    // A runner knows that the other work of the lane cannot start.
    let search = WorkSearch(
      now: ledger.context.now, kinds: ["k"], limit: .max, laneLimit: 1, fullLanes: ["lane"])
    let state = ledger.state
    let found = try state.dueWork(among: [.numbered(1)], search)
    let lanes = found.lanes.subtracting(search.fullLanes)
    let more = try state.dueWork(inLanes: lanes, awaiting: found.awaited, search)
    #expect((found.candidates + more.candidates).map(\.id).contains(.numbered(11)))
    #expect(try ledger.claim(11) == ["started 2"])
  }

  /// All due work is claimed, the work of each lane in the order of its creation.
  @Test(arguments: TestAmount.seeds(20), WorkLedger.Form.allCases)
  func whatIsFoundInLanesIsWhatAClaimStarts(seed: UInt64, form: WorkLedger.Form) throws {
    let history = try history(seed: seed, form)
    let now = history.ledger.context.now
    let kinds = Set(Self.kinds)
    let due = try DueWorkOracle(history.ledger.state, at: now, kinds: kinds).due
      .sorted { $0.created < $1.created }
    let search = WorkSearch(now: now, kinds: kinds, limit: .max, laneLimit: .max)
    let found = Set(try history.ledger.state.dueWork(search).candidates.map(\.id))
    let command = ClaimWork(due.map(\.id), runnableKinds: kinds)
    let places = try due.map { try history.ledger.state.promise($0.id)?.workPlace }
    let claims = zip(due, try history.ledger.commit(command))
    // The claim that finds that work must be given up makes room in its lane.
    let freed = Set(
      claims.compactMap { work, claim in
        if case .ended = claim { work.lane } else { nil }
      })
    for ((work, claim), place) in zip(claims, places) {
      guard let lane = place?.lane, !freed.contains(lane.name) else { continue }
      switch claim {
      case .started: #expect(found.contains(work.id), "seed \(seed)")
      case .laneFull:
        // Of work that keeps its place, or comes behind narrower work, more may be found than can start at once.
        let widths = places.compactMap { $0?.lane }.filter { $0.name == lane.name }.map(\.width)
        guard place?.holdsLane == false, widths.allSatisfy({ $0 == lane.width }) else { continue }
        #expect(!found.contains(work.id), "seed \(seed)")
      default: break
      }
    }
  }

  /// Work that is moved to another lane leaves room in its own, which is not named any more.
  @Test(arguments: WorkLedger.Form.allCases)
  func aLaneThatWorkLeftIsSearchedFor(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 11...12 { try ledger.create(number, options: .lane(width: 1)) }
    try ledger.claim(11)
    let search = WorkSearch(now: ledger.context.now, kinds: ["k"], limit: .max, laneLimit: 1)
    let started = try ledger.state.dueWork(among: [.numbered(11)], search)
    #expect(started.incompleteKinds.isEmpty)
    try ledger.commit(
      AmendWork(id: .numbered(11), WorkAmended(options: .lane("other"))))
    let found = try ledger.state.dueWork(among: [.numbered(11)], search)
    #expect(found.incompleteKinds == ["k"])
    #expect(try ledger.state.dueWork(search).candidates.map(\.id) == [.numbered(12)])
  }

  // MARK: Limits

  @Test(arguments: WorkLedger.Form.allCases)
  func aLookAtASettlementFindsAsMuchOfEachKindAsItsLimitAllows(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    let kinds = ["few", "many", "other"]
    for number in 11...60 {
      // The few come last.
      let kind = number > 57 ? "few" : number.isMultiple(of: 2) ? "many" : "other"
      try ledger.create(number, .after(.numbered(1), .fulfilled), kind: kind)
    }
    for number in 61...70 { try ledger.create(number, .after(.numbered(1), .failed)) }
    try ledger.resolve(1)
    let search = WorkSearch(
      now: ledger.context.now, kinds: Set(kinds), limit: 5, laneLimit: 1)
    let state = ledger.state
    let found = try state.dueWork(among: [.numbered(1)], search)
    let more = try state.dueWork(inLanes: [], awaiting: found.awaited, search)
    let counts = Dictionary(grouping: found.candidates + more.candidates, by: \.kind)
      .mapValues(\.count)
    #expect(counts["few"] == 3)
    // As much in memory, and as much in the snapshot.
    for kind in ["many", "other"] {
      #expect(counts[kind].map((5...10).contains) ?? false, "\(kind)")
      if form == .inMemory { #expect(counts[kind] == 5) }
    }
    #expect(found.incompleteKinds.union(more.incompleteKinds) == ["many", "other"])
  }

  /// Work with a low priority does not end the look at a list that is ordered by time.
  @Test(arguments: WorkLedger.Form.allCases)
  func workWithALowPriorityHidesNoneThatComesBeforeTheLimit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    let first = ledger.context.now + .seconds(-100)
    try ledger.create(11, .at(first), options: WorkOptions(priority: -10))
    for number in 12...40 { try ledger.create(number, .at(first + .seconds(Int64(number)))) }
    let search = WorkSearch(now: ledger.context.now, kinds: ["k"], limit: 2, laneLimit: 1)
    let found = try ledger.state.dueWork(search)
    #expect(found.candidates.map(\.id) == [.numbered(12), .numbered(13)])
    #expect(found.incompleteKinds == ["k"])
  }

  /// An outcome that work takes over is found, however much other work of its kind is due.
  @Test(arguments: WorkLedger.Form.allCases)
  func dueWorkHidesNoOutcomeToPassOn(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    for number in 11...14 { try ledger.create(number) }
    try ledger.create(15, .after(.numbered(1), .failed))
    ledger.context.now = ledger.context.now + .seconds(10)
    // Too large for an event that passes it on at once.
    let value = [UInt8](repeating: 1, count: 9_000)
    try ledger.commit(ResolvePromise(.numbered(1), .fulfilled, content: value))
    let search = WorkSearch(now: ledger.context.now, kinds: ["k"], limit: 2, laneLimit: 1)
    let found = try ledger.state.dueWork(search)
    #expect(found.candidates.map(\.id) == [11, 12, 15].map(PromiseID.numbered))
    #expect(found.candidates.last?.excludedBy == .numbered(1))
    #expect(found.incompleteKinds == ["k"])
  }

  // MARK: Later versions

  @Test func whatALaterVersionWroteHidesNoOtherWork() throws {
    let ledger = try WorkLedger()
    for number in 1...2 { try ledger.createPromise(number) }
    for number in 11...12 { try ledger.create(number, .after(.numbered(number - 10), .any)) }
    for number in 13...15 { try ledger.create(number) }
    try ledger.resolve(2)
    // One work awaits it, and the changes of both are seen.
    try ledger.foldAsLaterVersion(1)
    try ledger.foldAsLaterVersion(14)
    for inMemory in [false, true] {
      // Work that changed is in memory again.
      if inMemory {
        let amended = WorkAmended(options: WorkOptions(priority: 1))
        for number in [11, 12] { try ledger.commit(AmendWork(id: .numbered(number), amended)) }
      }
      let state = ledger.state
      let search = WorkSearch(
        now: ledger.context.now, kinds: ["k"], limit: .max, laneLimit: .max)
      let expected = Set([12, 13, 15].map(PromiseID.numbered))
      // A claim refuses the work of a later version.
      let all = Set(try state.dueWork(search).candidates.map(\.id))
      #expect(all.subtracting([.numbered(14)]) == expected)
      let changed = Set(([1, 2, 14] + (13...15)).map(PromiseID.numbered))
      let found = try state.dueWork(among: changed, search)
      let more = try state.dueWork(inLanes: found.lanes, awaiting: found.awaited, search)
      #expect(Set((found.candidates + more.candidates).map(\.id)) == expected)
    }
  }
}
