import Dispatch
import PromiseLedgerTesting
import Testing

@testable import LedgerPromises

/// Where callbacks run.
@Suite(.timeLimit(.minutes(10))) struct ExecutorTests {
  @Test func callbacksRunWhereTheyWereAskedTo() async {
    let queue = DispatchQueue(label: "here")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let seen = Recorder<Bool>()
    Promise.value(1).done(on: .dispatch(queue)) { _ in
      seen.record(DispatchQueue.getSpecific(key: key) == true)
    }
    #expect(await seen.events(atLeast: 1) == [true])
  }

  @Test func operatorsInheritTheExecutorOfTheirPromise() {
    let manual = ManualPromiseExecutor()
    let seen = Recorder<Int>()
    Promise.value(1, on: manual.executor).map { $0 + 1 }.map { $0 + 1 }.done { seen.record($0) }
    #expect(seen.events.isEmpty)
    #expect(manual.drain() > 0)
    #expect(seen.events == [3])
  }

  @Test func aGuaranteeWithoutItsValueKeepsItsExecutor() {
    let manual = ManualPromiseExecutor()
    let seen = Recorder<String>()
    let void = Guarantee.value(1, on: manual.executor).asVoid()
    void.done { _ in seen.record("done") }
    #expect(!void.isPending)
    #expect(seen.events.isEmpty)
    manual.drain()
    #expect(seen.events == ["done"])
  }

  /// In a process of its own, because the default is the whole process's.
  @Test func theDefaultCanBeReplaced() async {
    await #expect(processExitsWith: .success) {
      let before = Promise.value(0)
      let first = ManualPromiseExecutor()
      let second = ManualPromiseExecutor()
      let standard = PromiseExecutor.setDefault(first.executor)
      let seen = Recorder<Int>()
      // Those that are there keep theirs.
      let earlier = try await before.map { $0 }.value
      #expect(earlier == 0)
      Promise.value(1).done { seen.record($0) }
      PromiseExecutor.setDefault(second.executor)
      Promise.value(2).done { seen.record($0) }
      #expect(seen.events.isEmpty)
      second.drain()
      #expect(seen.events == [2])
      first.drain()
      #expect(seen.events == [2, 1])
      PromiseExecutor.setDefault(standard)
      let later = try await Promise.value(3).map { $0 }.value
      #expect(later == 3)
    }
  }

  @Test func aManualExecutorRunsNoMoreThanAskedFor() {
    let manual = ManualPromiseExecutor()
    let seen = Recorder<Int>()
    for number in 0..<5 {
      Promise.value(number, on: manual.executor).done { seen.record($0) }
    }
    #expect(manual.drain(limit: 2) == 2)
    #expect(seen.events == [0, 1])
    #expect(manual.count == 3)
    manual.drain()
    #expect(seen.events == [0, 1, 2, 3, 4])
  }

  @Test func aCallbackMayShutDownItsManualExecutor() {
    DiagnosticRecorder.install()
    let manual = ManualPromiseExecutor()
    let seen = Recorder<Int>()
    let ends: [Promise<Void>] = (0..<3).map { number in
      Promise.value(number, on: manual.executor).done { value in
        seen.record(value)
        manual.shutDown()
      }
    }
    #expect(manual.drain() == 1)
    #expect(seen.events == [0])
    #expect(ends.dropFirst().allSatisfy { code($0.outcome) == .executorGone })
  }

  @Test func aCallbackMayDrainItsManualExecutor() {
    let manual = ManualPromiseExecutor()
    let seen = Recorder<Int>()
    Promise.value(0, on: manual.executor).done { _ in
      seen.record(manual.count)
      seen.record(manual.drain())
    }
    for number in 10..<12 { Promise.value(number, on: manual.executor).done { seen.record($0) } }
    #expect(manual.drain() == 1)
    #expect(seen.events == [2, 10, 11, 2])
  }

  @Test func aJobRunsOnlyOnce() {
    let target = KeepingTarget()
    let seen = Recorder<Int>()
    Promise.value(1, on: PromiseExecutor(target)).done { seen.record($0) }
    for job in target.jobs.events {
      job.run()
      job.run()
    }
    #expect(seen.events == [1])
  }

  @Test func aTargetMayRunItsJobsAtOnce() async throws {
    let executor = PromiseExecutor(ImmediateTarget())
    var promise = Promise.value(0, on: executor)
    for _ in 0..<1_000 { promise = promise.map { $0 + 1 } }
    #expect(try await promise.value == 1_000)
  }

  @Test func aSerialQueueHasAQualityOfServiceOfItsOwn() throws {
    for executor in [PromiseExecutor.serial(label: "own"), .default] {
      let queue = try #require(executor.target as? SerialQueue)
      #expect(queue.dispatchQueue.qos == .userInitiated)
    }
  }

  @Test func everyBlockOfADispatchQueueIsOnItsExecutor() {
    let queue = DispatchQueue(label: "own")
    let part = DispatchQueue(label: "part", target: queue)
    let executor = PromiseExecutor.dispatch(queue)
    #expect(queue.sync { executor.isCurrent })
    #expect(part.sync { executor.isCurrent })
    #expect(!DispatchQueue(label: "other").sync { executor.isCurrent })
    #expect(!executor.isCurrent)
  }

  @Test func aCallbackKnowsItsExecutor() async {
    let executor = PromiseExecutor.serial(label: "own")
    let other = PromiseExecutor.serial(label: "other")
    let seen = Recorder<Bool>()
    Promise.value(1, on: executor).done { _ in
      seen.record(executor.isCurrent)
      seen.record(other.isCurrent)
      seen.record(PromiseExecutor.default.isCurrent)
    }
    #expect(await seen.events(atLeast: 3) == [true, false, false])
    #expect(!executor.isCurrent)
  }
}

/// Keeps its jobs until the test runs them.
private final class KeepingTarget: PromiseExecutorTarget {
  let jobs = Recorder<PromiseJob>()

  func enqueue(_ job: PromiseJob) {
    jobs.record(job)
  }
}

/// Runs each job inside `enqueue`.
private final class ImmediateTarget: PromiseExecutorTarget {
  func enqueue(_ job: PromiseJob) {
    job.run()
  }
}
