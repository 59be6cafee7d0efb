import Dispatch
import Foundation
import LedgerPromises
import Synchronization
import Testing

/// Promises/A+ 2.2: the `then` method. 2.2.5 is about `this` and has no meaning in Swift.
@Suite(.sharedLedger, .timeLimit(.minutes(10))) struct APlusThenTests {
  @Test(arguments: Axis.all)
  func rule2_2_1bothCallbacksAreOptional(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let fulfilled = try await axis.subject(.fulfilled(1), on: executor)
    let rejected = try await axis.subject(Outcome<Int>.rejected(TestError(1)), on: executor)
    let recovered = fulfilled.promise.recover { _ in 0 }
    let mapped = rejected.promise.map { $0 + 1 }
    fulfilled.settle()
    rejected.settle()
    #expect(try await recovered.settlement() == .fulfilled(1))
    #expect(testError(try await mapped.settlement()) == TestError(1))
  }

  @Test(arguments: Axis.all)
  func rule2_2_2_1onFulfilledGetsTheValue(_ axis: Axis) async throws {
    let seen = Recorder<Int>()
    let subject = try await axis.subject(.fulfilled(7), on: axis.makeExecutor())
    subject.promise.done { seen.record($0) }
    subject.settle()
    #expect(await seen.events(atLeast: 1) == [7])
  }

  @Test(arguments: Axis.all)
  func rule2_2_2_2onFulfilledIsNotCalledBeforeItIsFulfilled(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Bool>()
    let subject = try await axis.subject(.fulfilled(7), on: executor)
    let promise = subject.promise
    promise.done { _ in seen.record(promise.isPending) }
    if axis.origin != .lazy, axis.timing != .already {
      await barrier(executor)
      #expect(seen.events.isEmpty)
    }
    subject.settle()
    #expect(await seen.events(atLeast: 1) == [false])
  }

  @Test(arguments: Axis.all)
  func rule2_2_2_3onFulfilledIsCalledOnlyOnce(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Int>()
    let subject = try await axis.subject(.fulfilled(7), on: executor)
    subject.promise.done { seen.record($0) }
    subject.settle()
    subject.settle()
    await seen.events(atLeast: 1)
    await barrier(executor)
    await barrier(executor)
    #expect(seen.events == [7])
  }

  @Test(arguments: Axis.all)
  func rule2_2_2onFulfilledIsNotCalledForARejection(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<String>()
    let subject = try await axis.subject(Outcome<Int>.rejected(TestError()), on: executor)
    subject.promise.done { _ in seen.record("value") }.catch { _ in seen.record("error") }
    subject.settle()
    await seen.events(atLeast: 1)
    await barrier(executor)
    #expect(seen.events == ["error"])
  }

  @Test(arguments: Axis.all)
  func rule2_2_3_1onRejectedGetsTheReason(_ axis: Axis) async throws {
    let seen = Recorder<TestError?>()
    let subject = try await axis.subject(
      Outcome<Int>.rejected(TestError(3)), on: axis.makeExecutor())
    subject.promise.catch { seen.record(testError($0)) }
    subject.settle()
    #expect(await seen.events(atLeast: 1) == [TestError(3)])
  }

  @Test(arguments: Axis.all)
  func rule2_2_3_2onRejectedIsNotCalledBeforeItIsRejected(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Bool>()
    let subject = try await axis.subject(Outcome<Int>.rejected(TestError(3)), on: executor)
    let promise = subject.promise
    promise.catch { _ in seen.record(promise.isPending) }
    if axis.origin != .lazy, axis.timing != .already {
      await barrier(executor)
      #expect(seen.events.isEmpty)
    }
    subject.settle()
    #expect(await seen.events(atLeast: 1) == [false])
  }

  @Test(arguments: Axis.all)
  func rule2_2_3_3onRejectedIsCalledOnlyOnce(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<TestError?>()
    let subject = try await axis.subject(Outcome<Int>.rejected(TestError(3)), on: executor)
    subject.promise.catch { seen.record(testError($0)) }
    subject.settle()
    subject.settle()
    await seen.events(atLeast: 1)
    await barrier(executor)
    await barrier(executor)
    #expect(seen.events == [TestError(3)])
  }

  @Test(arguments: Axis.all)
  func rule2_2_3onRejectedIsNotCalledForAFulfilment(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<String>()
    let subject = try await axis.subject(.fulfilled(1), on: executor)
    subject.promise.catch { _ in seen.record("error") }.done { seen.record("over") }
    subject.settle()
    await seen.events(atLeast: 1)
    await barrier(executor)
    #expect(seen.events == ["over"])
  }

  @Test(arguments: Axis.neverInline)
  func rule2_2_4callbacksNeverRunInsideThenOrFulfill(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Bool>()
    let subject = try await axis.subject(.fulfilled(1), on: executor)
    // On the executor itself, so that the callback cannot have run on another thread meanwhile.
    Promise.value((), on: executor).done {
      let flag = Flag()
      subject.promise.done { _ in seen.record(flag.value) }
      subject.promise.ensure { seen.record(flag.value) }
      if axis.timing != .eventually { subject.settle() }
      flag.clear()
      if axis.timing == .eventually { subject.settle() }
    }
    #expect(await seen.events(atLeast: 2) == [false, false])
  }

  @Test(arguments: Axis.neverInline)
  func rule2_2_4callbacksNeverRunOnTheThreadThatAttachesOrSettles(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Bool>()
    let subject = try await axis.subject(.fulfilled(1), on: executor)
    await onSmallStack {
      let caller = ObjectIdentifier(Thread.current)
      subject.promise.done { _ in seen.record(ObjectIdentifier(Thread.current) == caller) }
      subject.settle()
      subject.promise.done { _ in seen.record(ObjectIdentifier(Thread.current) == caller) }
      // The thread lives until both ran, so that its identity is not given to another.
      let waiting = DispatchSemaphore(value: 0)
      subject.promise.done { _ in waiting.signal() }
      waiting.wait()
    }
    #expect(await seen.events(atLeast: 2) == [false, false])
  }

  @Test(arguments: Axis.neverInline)
  func rule2_2_4callbacksOfARejectionNeverRunInsideThenOrReject(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Bool>()
    let subject = try await axis.subject(Outcome<Int>.rejected(TestError()), on: executor)
    Promise.value((), on: executor).done {
      let flag = Flag()
      subject.promise.catch { _ in seen.record(flag.value) }
      if axis.timing != .eventually { subject.settle() }
      flag.clear()
      if axis.timing == .eventually { subject.settle() }
    }
    #expect(await seen.events(atLeast: 1) == [false])
  }

  @Test(arguments: Axis.all)
  func rule2_2_6_1callbacksOfAFulfilmentRunInTheOrderOfRegistration(_ axis: Axis) async throws {
    let seen = Recorder<Int>()
    let subject = try await axis.subject(.fulfilled(1), on: axis.makeExecutor())
    for number in 0..<10 { subject.promise.done { _ in seen.record(number) } }
    subject.settle()
    #expect(await seen.events(atLeast: 10) == Array(0..<10))
  }

  @Test(arguments: Axis.all)
  func rule2_2_6_2callbacksOfARejectionRunInTheOrderOfRegistration(_ axis: Axis) async throws {
    let seen = Recorder<Int>()
    let subject = try await axis.subject(
      Outcome<Int>.rejected(TestError()), on: axis.makeExecutor())
    for number in 0..<10 { subject.promise.catch { _ in seen.record(number) } }
    subject.settle()
    #expect(await seen.events(atLeast: 10) == Array(0..<10))
  }

  @Test(arguments: Axis.all)
  func rule2_2_6aThrowingCallbackDoesNotStopTheOthers(_ axis: Axis) async throws {
    let seen = Recorder<Int>()
    let subject = try await axis.subject(.fulfilled(1), on: axis.makeExecutor())
    subject.promise.done { _ in seen.record(0) }
    subject.promise.done { _ in throw TestError() }.catch { _ in }
    subject.promise.done { _ in seen.record(1) }
    subject.settle()
    #expect(await seen.events(atLeast: 2) == [0, 1])
  }

  @Test(arguments: Axis.all)
  func rule2_2_7_1aReturnedValueResolvesTheNewPromise(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let fulfilled = try await axis.subject(.fulfilled(1), on: executor)
    let rejected = try await axis.subject(Outcome<Int>.rejected(TestError()), on: executor)
    let mapped = fulfilled.promise.map { "\($0)" }
    let recovered = rejected.promise.recover { _ in 5 }
    fulfilled.settle()
    rejected.settle()
    #expect(try await mapped.value == "1")
    #expect(try await recovered.value == 5)
  }

  @Test(arguments: Axis.all)
  func rule2_2_7_2aThrownErrorRejectsTheNewPromise(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let fulfilled = try await axis.subject(.fulfilled(1), on: executor)
    let rejected = try await axis.subject(Outcome<Int>.rejected(TestError()), on: executor)
    let mapped = fulfilled.promise.map { _ -> Int in throw TestError(8) }
    let recovered = rejected.promise.recover { _ in throw TestError(9) }
    fulfilled.settle()
    rejected.settle()
    #expect(testError(try await mapped.settlement()) == TestError(8))
    #expect(testError(try await recovered.settlement()) == TestError(9))
  }

  @Test(arguments: Axis.all)
  func rule2_2_7_3aValuePassesOverErrorHandlers(_ axis: Axis) async throws {
    let subject = try await axis.subject(.fulfilled(1), on: axis.makeExecutor())
    let last = subject.promise.recover { _ in 2 }.onError { _ in }.recover { _ in 3 }
    subject.settle()
    #expect(try await last.value == 1)
  }

  @Test(arguments: Axis.all)
  func rule2_2_7_4anErrorPassesOverValueHandlers(_ axis: Axis) async throws {
    let subject = try await axis.subject(
      Outcome<Int>.rejected(TestError(4)), on: axis.makeExecutor())
    let last = subject.promise.map { $0 + 1 }.then { .value($0) }.get { _ in }.asVoid()
    subject.settle()
    #expect(testError(try await last.settlement()) == TestError(4))
  }
}

/// Set until it is cleared.
private final class Flag: Sendable {
  private let flag = Mutex(true)

  var value: Bool { flag.withLock { $0 } }

  func clear() {
    flag.withLock { $0 = false }
  }
}
