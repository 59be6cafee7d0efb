import LedgerPromises
import Synchronization
import Testing

/// Hard rule 2: a million links on a stack of 512 KiB. Shapes that share the code of the first test
/// have fewer, which is still far more than the stack could bear. One at a time, because each takes
/// much memory.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DepthTests {
  static let depth = 1_000_000
  static let fewer = 100_000

  enum Path {
    case fulfilled, rejected
  }

  @Test(arguments: [
    (Path.fulfilled, false, DepthTests.depth), (.fulfilled, true, DepthTests.depth),
    (.rejected, false, DepthTests.fewer),
  ])
  func aLongChainSettles(_ path: Path, inline: Bool, depth: Int) async throws {
    DiagnosticRecorder.install()
    let executor: PromiseExecutor = inline ? .inline : .serial(label: "deep")
    let last = Mutex<Promise<Int>?>(nil)
    let lastBox = Box(last)
    await onSmallStack {
      let (first, resolver) = Promise.make(of: Int.self, on: executor)
      var promise = first
      for _ in 0..<depth { promise = promise.map { $0 + 1 } }
      lastBox.set(promise)
      switch path {
      case .fulfilled: resolver.fulfill(0)
      case .rejected: resolver.reject(TestError(1))
      }
    }
    let outcome = try await lastBox.take()?.settlement()
    switch path {
    case .fulfilled: #expect(outcome == .fulfilled(depth))
    case .rejected: #expect(testError(outcome) == TestError(1))
    }
  }

  @Test(arguments: [false, true])
  func aLongChainIsCancelled(inline: Bool) async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      let (first, resolver) = Promise.make(of: Int.self, on: inline ? .inline : .default)
      var promise = first
      for _ in 0..<Self.fewer { promise = promise.map { $0 + 1 }.ensure {} }
      box.set(promise)
      resolver.cancel("deep")
    }
    #expect(try await box.take()?.settlement() == .cancelled("deep"))
  }

  @Test func manyHandlersThatRunOnFailuresSettle() async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      let (first, resolver) = Promise.make(of: Int.self, on: .inline)
      var promise = first
      for _ in 0..<Self.fewer { promise = promise.ensure {}.onError { _ in } }
      box.set(promise)
      resolver.reject(TestError(1))
    }
    #expect(testError(try await box.take()?.settlement()) == TestError(1))
  }

  @Test func manyPromisesThatFollowOneAnotherSettleAndCancel() async throws {
    for cancels in [false, true] {
      let box = Box<Promise<Int>>(Mutex(nil))
      let seen = Recorder<Int>()
      await onSmallStack {
        let (first, resolver) = Promise.make(of: Int.self)
        resolver.onCancel { _ in seen.record(1) }
        var promise = first
        for _ in 0..<Self.fewer {
          let (next, nextResolver) = Promise.make(of: Int.self)
          nextResolver.resolve(with: promise)
          promise = next
        }
        box.set(promise)
        if cancels { promise.cancel() } else { resolver.fulfill(1) }
      }
      let outcome = try await box.take()?.settlement()
      #expect(
        outcome == (cancels ? .cancelled(.unspecified) : .fulfilled(1)), "cancels: \(cancels)")
      #expect(seen.events == (cancels ? [1] : []), "cancels: \(cancels)")
    }
  }

  @Test func manyPromisesThatFollowTheNextOneSettle() async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      let (first, firstResolver) = Promise.make(of: Int.self)
      var resolver = firstResolver
      for _ in 0..<Self.fewer {
        let (inner, innerResolver) = Promise.make(of: Int.self)
        resolver.resolve(with: inner)
        resolver = innerResolver
      }
      box.set(first)
      resolver.fulfill(1)
    }
    #expect(try await box.take()?.value == 1)
  }

  @Test func manyInlineCallbacksThatSettleTheNextPromiseNeedNoStack() async throws {
    let count = Counter()
    await onSmallStack {
      let (first, firstResolver) = Promise.make(of: Int.self, on: .inline)
      var promise = first
      for _ in 0..<Self.fewer {
        let (next, resolver) = Promise.make(of: Int.self, on: .inline)
        promise.done {
          count.increment()
          resolver.fulfill($0)
        }
        promise = next
      }
      firstResolver.fulfill(1)
    }
    #expect(count.value == Self.fewer)
  }

  @Test func manyInlineCallbacksBehindLinksThatPassOnNeedNoStack() async throws {
    let count = Counter()
    await onSmallStack {
      let (first, firstResolver) = Promise.make(of: Void.self, on: .inline)
      var promise = first
      for _ in 0..<Self.fewer {
        let (next, resolver) = Promise.make(of: Void.self, on: .inline)
        promise.asVoid().done(on: .inline) {
          count.increment()
          resolver.fulfill(())
        }
        promise = next
      }
      firstResolver.fulfill(())
    }
    #expect(count.value == Self.fewer)
  }

  @Test(arguments: [false, true])
  func manyResolversThatKeepOneAnotherAreReleased(cancels: Bool) async throws {
    DiagnosticRecorder.install()
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      let (first, firstResolver) = Promise.make(of: Int.self)
      var resolver: Resolver<Int>? = firstResolver
      var promise = first
      for _ in 0..<Self.fewer {
        let (next, nextResolver) = Promise.make(of: Int.self)
        promise.done { nextResolver.fulfill($0) }
        promise = next
      }
      box.set(promise)
      if cancels { first.cancel() }
      withExtendedLifetime(resolver) {}
      resolver = nil
    }
    #expect(code(try await box.take()?.settlement()) == .abandoned)
  }

  @Test func manyGuaranteesThatKeepOneAnotherFallBack() async throws {
    DiagnosticRecorder.install()
    let box = Box<Guarantee<Int>>(Mutex(nil))
    await onSmallStack {
      var first: (@Sendable (Int) -> Void)?
      var guarantee = Guarantee(ifDropped: 0) { first = $0 }
      for _ in 0..<Self.fewer {
        let previous = guarantee
        guarantee = Guarantee(ifDropped: 0) { deliver in
          previous.asPromise().recover { _ in
            deliver(1)
            return 1
          }
        }
      }
      box.set(guarantee)
      withExtendedLifetime(first) {}
      first = nil
    }
    #expect(await box.take()?.value == 0)
  }

  @Test func manyPromisesOfAnExecutorThatIsGoneAreRejected() async throws {
    DiagnosticRecorder.install()
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      let manual = ManualExecutorBox()
      let (first, resolver) = Promise.make(of: Int.self, on: manual.executor)
      var promise = first
      for _ in 0..<Self.fewer { promise = promise.ensure {} }
      box.set(promise)
      manual.release()
      resolver.fulfill(1)
    }
    #expect(code(try await box.take()?.settlement()) == .executorGone)
  }

  @Test func racesOfRacesCancelWithoutRecursion() async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    let seen = Recorder<Int>()
    await onSmallStack {
      let (first, resolver) = Promise.make(of: Int.self)
      resolver.onCancel { _ in seen.record(1) }
      var promise = first
      for _ in 0..<Self.fewer { promise = .race([promise]) }
      box.set(promise)
      promise.cancel("deep")
      withExtendedLifetime(resolver) {}
    }
    #expect(try await box.take()?.settlement() == .cancelled("deep"))
    #expect(seen.events == [1])
  }

  @Test func manyCleanUpsCancelWithoutRecursion() async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      let (first, resolver) = Promise.make(of: Int.self, on: .inline)
      var promise = first
      for _ in 0..<Self.fewer { promise = promise.ensureAsync { .value(()) } }
      box.set(promise)
      promise.cancel("deep")
      withExtendedLifetime(resolver) {}
    }
    #expect(try await box.take()?.settlement() == .cancelled("deep"))
  }

  @Test(arguments: [1, 7, Int.max])
  func allWithALimitOverManySettledInputsNeedsNoStack(_ limit: Int) async throws {
    let box = Box<Promise<[Int]>>(Mutex(nil))
    await onSmallStack {
      let factories = (0..<Self.fewer).lazy.map { number in
        { @Sendable () throws -> Promise<Int> in .value(number) }
      }
      box.set(.all(limit: limit, on: .inline, factories: factories))
    }
    let values = try await box.take()?.value
    #expect(values?.count == Self.fewer)
    #expect(values?.last == Self.fewer - 1)
  }

  @Test func allWithALimitOverManySettledInputsOnAQueue() async throws {
    let values = try await Promise.mapInSeries(0..<Self.fewer) { .value($0) }.value
    #expect(values.count == Self.fewer)
  }

  @Test func aRecipeOfManyStepsIsBuiltRunAndReleased() async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      var recipe = ColdPromise.value(0)
      for _ in 0..<Self.fewer { recipe = recipe.then { $0 + 1 } }
      box.set(recipe.start())
    }
    #expect(try await box.take()?.value == Self.fewer)
  }

  @Test func manyLazyPromisesStartOneAnotherWithoutRecursion() async throws {
    let box = Box<Promise<Int>>(Mutex(nil))
    await onSmallStack {
      var promise = Promise<Int>.lazy { $0.fulfill(1) }
      for _ in 0..<Self.fewer {
        let previous = promise
        promise = .lazy { $0.resolve(with: previous) }
      }
      box.set(promise)
    }
    #expect(try await box.take()?.value == 1)
  }

  @Test func manyLazyPromisesThatNeverStartedAreReleased() async {
    let kept = Recorder<Int>()
    let isReleased = Recorder<Bool>()
    await onSmallStack {
      weak var last: Recorder<Int>?
      do {
        let captured = Recorder<Int>()
        last = captured
        var promise = Promise<Int>.lazy { _ in captured.record(1) }
        for _ in 0..<Self.fewer {
          let previous = promise
          promise = .lazy { $0.resolve(with: previous) }
        }
        kept.record(promise.isPending ? 1 : 0)
      }
      isReleased.record(last == nil)
    }
    #expect(kept.events == [1])
    #expect(isReleased.events == [true])
  }
}
