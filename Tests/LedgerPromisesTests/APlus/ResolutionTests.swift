import LedgerPromises
import Testing

/// Promises/A+ 2.3: the resolution procedure. 2.3.3, foreign thenables, has no meaning in Swift.
@Suite(.sharedLedger, .timeLimit(.minutes(10))) struct APlusResolutionTests {
  @Test(arguments: Axis.all)
  func rule2_3_1resolvingWithItselfRejects(_ axis: Axis) async throws {
    let subject = try await axis.subject(.fulfilled(1), on: axis.makeExecutor())
    let itself = Recorder<Promise<Int>>()
    let gate = Promise.make(of: Void.self)
    let promise = subject.promise.then { _ in gate.promise.then { itself.events[0] } }
    itself.record(promise)
    subject.settle()
    gate.resolver.fulfill(())
    // The inner promise follows the outer one, which follows the inner one: both know.
    #expect(code(try await promise.settlement()) == .resolvedWithItself)
  }

  @Test(arguments: Axis.all)
  func rule2_3_1aResolverThatGetsItsOwnPromiseRejects(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let (promise, resolver) = Promise.make(of: Int.self, on: executor)
    let subject = try await axis.subject(.fulfilled(1), on: executor)
    subject.promise.done { _ in resolver.resolve(with: promise) }
    subject.settle()
    #expect(code(try await promise.settlement()) == .resolvedWithItself)
  }

  @Test(arguments: Axis.all)
  func rule2_3_2_1stayPendingUntilTheInnerPromiseSettles(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let subject = try await axis.subject(.fulfilled(1), on: executor)
    let inner = Promise.make(of: Int.self, on: executor)
    let outer = subject.promise.then { _ in inner.promise }
    subject.settle()
    _ = try await subject.promise.value
    await barrier(executor)
    #expect(outer.isPending)
    inner.resolver.fulfill(2)
    #expect(try await outer.value == 2)
  }

  @Test(arguments: Axis.all)
  func rule2_3_2_2aFulfilledInnerPromiseFulfilsWithTheSameValue(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let inner = try await axis.subject(.fulfilled("x"), on: executor)
    let outer = Promise.value(1, on: executor).then { _ in inner.promise }
    inner.settle()
    #expect(try await outer.value == "x")
  }

  @Test(arguments: Axis.all)
  func rule2_3_2_3aRejectedInnerPromiseRejectsWithTheSameReason(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let inner = try await axis.subject(Outcome<String>.rejected(TestError(6)), on: executor)
    let outer = Promise.value(1, on: executor).then { _ in inner.promise }
    inner.settle()
    #expect(testError(try await outer.settlement()) == TestError(6))
  }

  @Test(arguments: Axis.all)
  func rule2_3_2aRecoveryMayReturnAPromiseToo(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let inner = try await axis.subject(.fulfilled(4), on: executor)
    let outer = Promise<Int>.rejected(TestError(), on: executor).recoverThen { _ in inner.promise }
    inner.settle()
    #expect(try await outer.value == 4)
  }

  @Test(arguments: Axis.all)
  func rule2_3_2aResolverFollowsAPromise(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let inner = try await axis.subject(.fulfilled(4), on: executor)
    let (outer, resolver) = Promise.make(of: Int.self, on: executor)
    #expect(resolver.resolve(with: inner.promise))
    #expect(!resolver.isOpen)
    inner.settle()
    #expect(try await outer.value == 4)
  }

  @Test(arguments: Axis.all)
  func rule2_3_4anythingElseFulfils(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let error = try await axis.subject(.fulfilled(TestError(1)), on: executor)
    let none = try await axis.subject(.fulfilled(Int?.none), on: executor)
    let mappedError = error.promise.map { $0 }
    let mappedNone = none.promise.map { $0 }
    error.settle()
    none.settle()
    #expect(try await mappedError.value == TestError(1))
    #expect(try await mappedNone.value == nil)
  }
}
