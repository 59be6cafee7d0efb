import LedgerModelTestSupport
import LedgerRuntimeTesting
import LedgerTestSupport

@testable import LedgerModel
@testable import LedgerRuntime

/// Makes a random history of work from a seed, by commands alone.
///
/// It awaits the promises 1 to 3; the work has numbers from 101.
struct RandomWork {
  /// Claims that the history makes next.
  struct Claims {
    let session: Int
    let ids: [PromiseID]
  }

  var generator: SeededGenerator
  let ledger: WorkLedger
  /// Whether all work has a lane, or only some of it.
  var hasOnlyLanes = false
  var isPrioritized = false
  var kinds = ["k"]
  private(set) var workCount = 0
  private let policy: WorkRetryPolicy

  init(seed: UInt64, _ form: WorkLedger.Form) throws {
    generator = SeededGenerator(seed: seed)
    ledger = try WorkLedger(form)
    for number in 1...3 { try ledger.createPromise(number) }
    policy = try WorkRetryPolicy(
      failureLimit: 3, firstDelay: .seconds(10), longestDelay: .seconds(20), givingUp: .park)
  }

  /// The number of some work, which may have ended.
  mutating func work() -> Int { 100 + .random(in: 1...max(1, workCount), using: &generator) }

  private mutating func options(_ kind: String) -> WorkOptions {
    var options = WorkOptions()
    if hasOnlyLanes || generator.chance(1, of: 2) {
      let lane = generator.chance(1, of: 3) ? "b" : "a"
      options = .lane("\(lane) of \(kind)", width: .random(in: 1...3, using: &generator))
    }
    if isPrioritized { options.priority = .random(in: -5...5, using: &generator) }
    if generator.chance(1, of: 6) { options.givesUpAfter = ledger.context.now + .seconds(90) }
    return options
  }

  private mutating func trigger() -> WorkTrigger {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: .at(ledger.context.now + .seconds(.random(in: 1...60, using: &generator)))
    case 1, 2:
      .after(
        .numbered(.random(in: 1...3, using: &generator)),
        WorkTrigger.Settlement.allCases.randomElement(using: &generator) ?? .any)
    default: .now
    }
  }

  /// Makes a change.
  ///
  /// - Returns: Claims for the caller to make; then nothing changed.
  mutating func step() throws -> Claims? {
    ledger.context.now = ledger.context.now + .seconds(.random(in: 0...8, using: &generator))
    switch Int.random(in: 0..<24, using: &generator) {
    case 0..<8: try create()
    case 8..<12:
      let count = Int.random(in: 1...6, using: &generator)
      return Claims(
        session: .random(in: 1...3, using: &generator),
        ids: (0..<count).map { _ in PromiseID.numbered(work()) })
    case 12: try suspend()
    case 13..<17: try finish()
    case 17: try finishStep()
    case 18: try amend()
    case 19: _ = try? ledger.commit(CancelWork(id: .numbered(work()), reason: "no need"))
    case 20:
      let promise = PromiseID.numbered(.random(in: 1...3, using: &generator))
      let outcome = generator.chance(1, of: 2) ? PromiseOutcomeKind.fulfilled : .rejected
      // Too large for an event, so that work that does not wait for it must be passed it.
      let size = generator.chance(1, of: 2) ? 9_000 : 9
      let content = StoredError(domain: "", message: String(repeating: "x", count: size)).encoded
      guard generator.chance(1, of: 3) else { return nil }
      try ledger.commit(ResolvePromise(promise, outcome, content: content))
    case 21:
      let session = Int.random(in: 1...3, using: &generator)
      try ledger.commit(FreezeSession(), as: session)
      try ledger.commit(UnfreezeSession(processID: 1), as: session)
    default: _ = try? ledger.commit(AbandonPromise(id: .numbered(work()), reason: "gone"))
    }
    return nil
  }

  private mutating func create() throws {
    workCount += 1
    let kind = kinds.randomElement(using: &generator) ?? "k"
    try ledger.create(100 + workCount, trigger(), kind: kind, options: options(kind))
  }

  private mutating func amend() throws {
    let number = work()
    let parking = WorkAmended.Parking.allCases.randomElement(using: &generator) ?? .unchanged
    let trigger = generator.chance(1, of: 3) ? trigger() : nil
    guard let kind = try ledger.state.promise(.numbered(number))?.creation().work?.kind else {
      return
    }
    let options = generator.chance(1, of: 3) ? options(kind) : nil
    try ledger.commit(
      AmendWork(
        id: .numbered(number),
        WorkAmended(parking: parking, trigger: trigger, options: options)))
  }

  /// Lets the newest attempt of some work wait for a time, for promises, or for both.
  private mutating func suspend() throws {
    let number = work()
    guard let (attempt, session) = try newestAttempt(of: number) else { return }
    let promises = (1...3).filter { _ in generator.chance(1, of: 2) }
    let delay = Int64.random(in: 1...60, using: &generator)
    let time =
      promises.isEmpty || generator.chance(1, of: 2) ? ledger.context.now + .seconds(delay) : nil
    try ledger.commit(
      SuspendWork(
        id: .numbered(number), attempt: attempt,
        until: WorkCondition(time: time, promises: promises.map(PromiseID.numbered))),
      as: session)
  }

  private mutating func finishStep() throws {
    let number = work()
    guard let (attempt, session) = try newestAttempt(of: number) else { return }
    let step = StepIdentity("step", .occurrence(.random(in: 1...5, using: &generator)))
    let size = generator.chance(1, of: 4) ? 9_000 : 9
    try ledger.commit(
      FinishStep(
        id: .numbered(number), attempt: attempt, step: step,
        result: generator.chance(1, of: 3)
          ? .failed(.sample) : .returned(typeTag: "t", bytes: generator.bytes(size)),
        startedAt: ledger.context.now),
      as: session)
  }

  /// The newest attempt of some work, and the session that started it.
  private func newestAttempt(of number: Int) throws -> (attempt: UInt32, session: Int)? {
    guard let progress = try ledger.state.promise(.numbered(number))?.progress,
      let session = (1...3).first(where: { SessionID.numbered($0) == progress.start?.session })
    else { return nil }
    return (progress.attempt, session)
  }

  /// Ends the newest attempt of some work, even if it was released.
  private mutating func finish() throws {
    let number = work()
    let results: [FinishWork.Result] = [.value, .failure, .failure, .finalFailure]
    let result = results.randomElement(using: &generator) ?? .value
    guard let (_, session) = try newestAttempt(of: number) else { return }
    try ledger.finish(number, result, policy: policy, as: session)
  }
}
