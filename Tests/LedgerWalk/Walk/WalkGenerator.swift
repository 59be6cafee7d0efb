import LedgerModelTestSupport
package import LedgerOracle
import LedgerTestSupport

/// Chooses the commands of a walk by a seed, with a look at what the oracle knows.
package struct WalkGenerator {
  private var generator: SeededGenerator
  private var now = 1_000
  /// The session of the command that is being chosen.
  private var session = 0
  private var promiseCount = 0
  private var handlerCount = 0
  private var sessionCount = 0
  /// The newest call; the first ones are never begun.
  private var callCount = 1

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// The next command.
  package mutating func next(_ oracle: Oracle) -> OracleStep {
    // A clock that is now and then set back.
    now += chance(1, of: 12) ? -below(300) : below(160)
    guard sessionCount >= 2 else { return open() }
    if chance(1, of: 30), sessionCount < 40 { return open() }
    session = session(oracle)
    return OracleStep(session, at: now, command(oracle))
  }

  /// The next command of a session, at a time.
  package mutating func next(_ oracle: Oracle, _ session: Int, at now: Int) -> OracleStep {
    (self.now, self.session) = (now, session)
    return OracleStep(session, at: now, command(oracle))
  }

  private mutating func open() -> OracleStep {
    sessionCount += 1
    return OracleStep(sessionCount, at: now, .open(chance(3, of: 4) ? .app : .other))
  }

  private mutating func command(_ oracle: Oracle) -> OracleCommand {
    switch below(100) {
    case 0..<18: return create(oracle)
    case 18..<28: return .resolve(promise(), resolve())
    case 28..<33: return .consume(promise())
    case 33..<35: return .abandon(promise())
    case 35: return .timeOutDue
    case 36..<38: return .look(promise())
    case 38..<68: return work(oracle)
    case 68..<88: return handler(oracle)
    case 88..<90: return .freeze
    case 90..<92: return .unfreeze
    case 92..<95: return .close(below(max(1, sessionCount)) + 1, died: chance(2, of: 3))
    case 95..<97: return .fold
    case 97..<99: return .removeRecords
    default: return .deleteEvents
    }
  }

  // MARK: Numbers

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

  /// A session, which seldom has ended.
  private mutating func session(_ oracle: Oracle) -> Int {
    var id = below(sessionCount) + 1
    for _ in 0..<8 where oracle.sessions[id]?.isEnded ?? true && chance(15, of: 16) {
      id = below(sessionCount) + 1
    }
    return id
  }

  /// A promise, more often a new one.
  private mutating func promise() -> Int {
    if chance(1, of: 40) { return min(promiseCount + 1, WalkNames.promiseCount) }
    let recent = min(promiseCount, 12)
    guard recent > 0 else { return 1 }
    return chance(3, of: 4) ? promiseCount - below(recent) : below(promiseCount) + 1
  }

  private mutating func promises(_ count: Int) -> [Int] {
    Set((0..<count).map { _ in promise() }).sorted()
  }

  /// Work that meets a condition, if some choices find one.
  private mutating func work(
    _ oracle: Oracle, where isMeant: (Oracle.Promise) -> Bool
  ) -> Int {
    var id = promise()
    for _ in 0..<10 {
      if let promise = oracle.promises[id], promise.work != nil, isMeant(promise) { break }
      id = promise()
    }
    return id
  }

  private mutating func newPromise(_ oracle: Oracle) -> Int {
    let isNew = chance(5, of: 6) && promiseCount < WalkNames.promiseCount - 1
    guard !isNew else {
      promiseCount += 1
      return promiseCount
    }
    let id = promise()
    // A random id is never used again.
    let isGone = id.isMultiple(of: 2) && oracle.removedPromises.contains(id)
    return isGone ? max(1, id - 1) : id
  }

  private mutating func key() -> Int? { chance(1, of: 2) ? below(2) : nil }

  private mutating func age() -> Int { chance(1, of: 10) ? 1 : 0 }

  private mutating func newCall() -> Int {
    callCount += 1
    return callCount
  }

  // MARK: Promises

  private mutating func create(_ oracle: Oracle) -> OracleCommand {
    let id = newPromise(oracle)
    let creation = creation(oracle)
    if chance(1, of: 20) {
      let (handler, binding) = (newHandler(oracle), Oracle.Binding(below(9), [id]))
      return .createTogether(
        id, creation, handler, Oracle.HandlerCreation(isRepeating: true, kind: 0, binding))
    }
    return .create(id, creation, isStrict: chance(1, of: 3), adoptsAny: chance(1, of: 8))
  }

  /// A parent, most often work that is pending: nothing else may have new children.
  private mutating func parent(_ oracle: Oracle) -> Int {
    chance(1, of: 10) ? promise() : work(oracle) { $0.isPending }
  }

  private mutating func creation(_ oracle: Oracle) -> Oracle.Creation {
    var creation = Oracle.Creation()
    creation.type = chance(1, of: 6) ? 1 : 0
    creation.key = key()
    if chance(1, of: 4) { creation.deadline = now + below(1_500) - 50 }
    creation.endsWhenSettled = chance(1, of: 3)
    if chance(1, of: 5) { creation.parent = parent(oracle) }
    switch below(10) {
    case 0..<3: creation.isTimer = creation.deadline != nil && chance(1, of: 3)
    case 3..<8: creation.source = .work(newWork())
    default:
      let rule = Oracle.Rule.allCases[below(4)]
      creation.source = .joint(rule, (0...below(3)).map { _ in promise() })
    }
    return creation
  }

  private mutating func newWork() -> Oracle.Work {
    var work = Oracle.Work(kind: chance(1, of: 12) ? 2 : below(2), trigger())
    work.options = options()
    if chance(1, of: 4) { work.references = promises(2) }
    return work
  }

  private mutating func trigger() -> Oracle.Trigger {
    switch below(8) {
    case 0: .at(now + below(800) - 100)
    case 1..<4: .after(promise(), Oracle.Settlement.allCases[below(3)])
    default: .now
    }
  }

  private mutating func options() -> Oracle.Options {
    var options = Oracle.Options()
    if chance(1, of: 3) { (options.lane, options.width) = (below(2), 1 + below(2)) }
    if chance(1, of: 4) { options.policy = policy() }
    if chance(1, of: 4) { options.timeout = 1 + below(150) }
    if chance(1, of: 8) { options.givesUpAfter = now + below(2_000) }
    return options
  }

  private mutating func policy() -> Oracle.Policy {
    Oracle.Policy(failureLimit: 1 + below(3), parks: chance(1, of: 2))
  }

  private mutating func resolve() -> Oracle.Resolve {
    var resolve = Oracle.Resolve(Oracle.Outcome.allCases[below(3)], below(9))
    resolve.isLarge = resolve.outcome != .cancelled && chance(1, of: 12)
    if chance(1, of: 8) { resolve.type = below(2) }
    resolve.key = key()
    resolve.isStrict = chance(1, of: 2)
    resolve.isForced = chance(1, of: 5)
    return resolve
  }

  /// Only operators force an outcome; code cannot.
  private mutating func unforced() -> Oracle.Resolve {
    var resolve = resolve()
    resolve.isForced = false
    return resolve
  }

  // MARK: Work

  private mutating func work(_ oracle: Oracle) -> OracleCommand {
    switch below(40) {
    case 0..<14:
      // Now and then work whose code may end its process.
      let deaths = chance(1, of: 4) ? 1 : 0
      let ids = Set(
        (0...below(3)).map { _ in
          work(oracle) { $0.isPending && $0.progress?.deaths ?? 0 >= deaths }
        })
      return .claim(ids.sorted())
    case 14..<21:
      let id = running(oracle)
      return .finish(id, age: age(), result(), effects(oracle), policy())
    case 21..<25:
      let id = running(oracle)
      return step(id, oracle)
    case 25..<28: return suspend(oracle)
    case 28: return .takeUp(work(oracle) { $0.progress?.release != nil }, age: age())
    case 29..<31: return release(oracle)
    case 31..<33: return .cancel(chance(1, of: 2) ? promise() : running(oracle))
    case 33..<35: return .amend(work(oracle) { $0.isPending }, amendment())
    case 35: return .retry(work(oracle) { $0.isPending })
    case 36: return .follow(promise(), by: promises(2))
    case 37: return .settleJoints(promises(3))
    default: return .releaseLeft(promises(3))
    }
  }

  private mutating func release(_ oracle: Oracle) -> OracleCommand {
    let id = running(oracle)
    let progress = oracle.promises[id]?.progress
    let deaths = progress?.deaths ?? 0
    if deaths >= 2, let runner = progress?.runner, chance(1, of: 2) {
      return .close(runner, died: true)
    }
    let reasons: [Oracle.ReleaseReason] = [.died, .frozen, .cancelled, .notRunnable, .parked]
    // Code that ended its process is likely to do so again.
    let diesAgain = deaths > 0 && chance(1, of: 2)
    return .release(id, age: age(), diesAgain ? .died : reasons[below(5)])
  }

  /// Work that runs, most often in the session that asks.
  private mutating func running(_ oracle: Oracle) -> Int {
    let session = session
    let isOwn = chance(3, of: 4)
    return work(oracle) {
      $0.progress?.runner.map { runner in runner == session || !isOwn } ?? false
    }
  }

  private mutating func suspend(_ oracle: Oracle) -> OracleCommand {
    if chance(1, of: 4), let repeated = suspendAgain(oracle) { return repeated }
    let id = running(oracle)
    let time = chance(1, of: 2) ? now + below(500) : nil
    let condition = Oracle.Condition(
      time: time, promises: promises(time == nil ? 1 + below(2) : below(3)))
    // A finished step is not run again, so it does not fail.
    let step = 1 + below(4)
    let isFinished = oracle.promises[id]?.progress?.steps.contains { $0.name == step } ?? true
    // Code names no child of its own work: those are kept while the work is pending.
    let others = chance(1, of: 4) ? promises(2) : []
    return .suspend(
      id, age: age(), until: condition,
      awaiting: others.filter { oracle.promises[$0]?.creation.parent != id },
      failingStep: chance(1, of: 3) && !isFinished ? step : nil)
  }

  /// The newest suspension of work once more, as after a commit whose end was not known.
  private mutating func suspendAgain(_ oracle: Oracle) -> OracleCommand? {
    let session = session
    let id = work(oracle) {
      $0.progress?.release?.condition != nil && $0.progress?.start?.session == session
    }
    guard let release = oracle.promises[id]?.progress?.release, let condition = release.condition
    else { return nil }
    let failing = chance(1, of: 8) ? nil : release.failing
    return .suspend(id, age: 0, until: condition, failingStep: failing)
  }

  private mutating func result() -> Oracle.WorkResult {
    switch below(8) {
    case 0..<4:
      .returned(type: chance(1, of: 5) ? 1 : 0, value: below(9), isLarge: chance(1, of: 8))
    case 4: .cancelled(below(9))
    default: .failed(below(9), isFinal: chance(1, of: 4))
    }
  }

  private mutating func step(_ id: Int, _ oracle: Oracle) -> OracleCommand {
    let result: Oracle.StepResult =
      switch below(6) {
      case 0..<2: .failed
      case 2: .cancelled
      default: .returned
      }
    let effects = result == .returned ? effects(oracle) : []
    // With so few names, no work reaches the maximum number of steps: the oracle has no limit.
    return .step(id, age: age(), 1 + below(4), result, failures: below(3), effects)
  }

  private mutating func amendment() -> Oracle.Amendment {
    var amendment = Oracle.Amendment()
    amendment.parking = Oracle.Parking.allCases[below(3)]
    if chance(1, of: 2) { amendment.trigger = trigger() }
    if chance(1, of: 3) { amendment.options = options() }
    return amendment
  }

  // MARK: Handlers

  private mutating func newHandler(_ oracle: Oracle) -> Int {
    guard chance(5, of: 6), handlerCount < WalkNames.handlerCount - 1 else {
      let id = handler()
      let isGone = id.isMultiple(of: 2) && oracle.removedHandlers.contains(id)
      return isGone ? id - 1 : id
    }
    handlerCount += 1
    return handlerCount
  }

  private mutating func handler() -> Int {
    let recent = min(handlerCount, 5)
    guard recent > 0 else { return 1 }
    return chance(3, of: 4) ? handlerCount - below(recent) : below(handlerCount) + 1
  }

  private mutating func expectation() -> Bool? {
    switch below(6) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  private mutating func handler(_ oracle: Oracle) -> OracleCommand {
    switch below(20) {
    case 0..<5: return createHandler(oracle)
    case 5..<7:
      let binding = Oracle.Binding(below(9), promises(below(2)))
      return .rebind(handler(), binding, expectsPresent: expectation())
    case 7..<11:
      let references = chance(1, of: 3) ? promises(1) : []
      let (id, expects) = (handler(), expectation())
      let call = chance(1, of: 12) ? self.call(of: id, oracle) : newCall()
      return .call(id, call, references: references, expectsPresent: expects)
    case 11..<13:
      let id = called(oracle)
      return .retryCall(id, call(of: id, oracle), age: age(), mayTakeOwn: chance(1, of: 2))
    case 13..<15:
      let id = called(oracle)
      return .releaseCall(id, call(of: id, oracle), age: age())
    case 15..<19:
      let id = called(oracle)
      return .finishCall(
        id, call(of: id, oracle), age: age(), fails: chance(1, of: 4), effects(oracle),
        rejects: chance(1, of: 4) ? promise() : nil)
    default:
      return .invalidate(
        handler(), newCall(), runsCode: chance(1, of: 2), expectsPresent: expectation())
    }
  }

  private mutating func createHandler(_ oracle: Oracle) -> OracleCommand {
    let id = newHandler(oracle)
    return .createHandler(id, handlerCreation())
  }

  private mutating func handlerCreation() -> Oracle.HandlerCreation {
    Oracle.HandlerCreation(
      isRepeating: chance(1, of: 2), kind: chance(1, of: 10) ? 2 : below(2),
      Oracle.Binding(below(9), promises(below(2))))
  }

  /// A handler with an open call, if some choices find one.
  private mutating func called(_ oracle: Oracle) -> Int {
    var id = handler()
    for _ in 0..<8 where oracle.handlers[id]?.calls.isEmpty ?? true { id = handler() }
    return id
  }

  /// An open call of a handler, or the newest of all.
  private mutating func call(of id: Int, _ oracle: Oracle) -> Int {
    let calls = oracle.handlers[id]?.calls.keys.sorted() ?? []
    guard !calls.isEmpty, chance(9, of: 10) else { return max(1, callCount) }
    return calls[below(calls.count)]
  }

  private mutating func effects(_ oracle: Oracle) -> [Oracle.Effect] {
    guard chance(1, of: 2) else { return [] }
    return (0...below(2)).map { _ in
      let action: Oracle.Effect.Action =
        switch below(8) {
        case 0, 1: .create(newPromise(oracle), creation(oracle))
        case 2..<5: .resolve(promise(), unforced())
        case 5: .createHandler(newHandler(oracle), handlerCreation())
        case 6: .call(handler(), newCall())
        default: .invalidate(handler(), newCall())
        }
      return Oracle.Effect(action, isRequired: chance(1, of: 3))
    }
  }
}
