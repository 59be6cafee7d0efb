import Dispatch
import LedgerPromises
import PromiseLedgerTesting
import Testing

/// The bridges to async/await and to blocking code.
@Suite(.timeLimit(.minutes(10))) struct AsyncTests {
  @Test func anAsyncBodyFulfilsRejectsOrCancels() async throws {
    #expect(try await Promise { 1 }.value == 1)
    let rejected = Promise { () async throws -> Int in throw TestError(2) }
    #expect(testError(try await rejected.settlement()) == TestError(2))
    let cancelled = Promise { () async throws -> Int in throw CancellationError() }
    #expect(try await cancelled.settlement() == .cancelled(.taskCancelled))
  }

  @Test func cancellingThePromiseCancelsTheTaskOfItsBody() async throws {
    let clock = ManualClock()
    let promise = Promise { try await clock.sleep(for: .seconds(1)) }
    await clock.sleepers(atLeast: 1)
    promise.cancel("why")
    await clock.sleepers(atMost: 0)
    #expect(promise.outcome?.isCancelled == true)
  }

  @Test func cancellingTheTaskDetachesTheWaiterAtOnce() async throws {
    let (promise, resolver) = Promise.make(of: Int.self)
    let task = Task { try await promise.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(promise.isPending)
    resolver.fulfill(1)
  }

  @Test func cancellingTheTaskMayCancelThePromise() async throws {
    let (promise, resolver) = Promise.make(of: Int.self)
    let task = Task { try await promise.value(whenTaskIsCancelled: .cancelsPromise) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(promise.outcome == .cancelled(.taskCancelled))
    withExtendedLifetime(resolver) {}
  }

  @Test func aTaskThatIsCancelledWhileThePromiseSettlesResumesExactlyOnce() async {
    let rounds = 2_000
    let resumed = Counter()
    for _ in 0..<rounds {
      let (promise, resolver) = Promise.make(of: Int.self)
      let task = Task { try? await promise.settlement() }
      DispatchQueue.global().async { resolver.fulfill(1) }
      task.cancel()
      _ = await task.value
      resumed.increment()
    }
    #expect(resumed.value == rounds)
  }

  @Test func awaitingACancelledPromiseThrowsItsReason() async {
    let error = await #expect(throws: PromiseError.self) {
      try await Promise<Int>.cancelled("why").value
    }
    #expect(error?.code == .cancelled)
    #expect(error?.cancellationReason == "why")
  }

  @Test func promisesComeInTheOrderInWhichTheySettle() async throws {
    let pairs = (0..<4).map { _ in Promise.make(of: Int.self) }
    let completions = pairs.map(\.promise).inCompletionOrder()
    pairs[2].resolver.fulfill(2)
    pairs[0].resolver.reject(TestError(1))
    pairs[3].resolver.cancel("why")
    pairs[1].resolver.fulfill(1)
    var iterator = completions.makeAsyncIterator()
    var order: [Int] = []
    while let completion = await iterator.next() { order.append(completion.index) }
    #expect(order == [0, 1, 2, 3])
    var late = pairs.map(\.promise)
    let (last, resolver) = Promise.make(of: Int.self)
    late.insert(last, at: 0)
    var again: [Int] = []
    for await completion in late.inCompletionOrder() {
      again.append(completion.index)
      if again.count == 4 { resolver.fulfill(9) }
    }
    #expect(again == [1, 2, 3, 4, 0])
  }

  @Test func iteratingWhileTheySettleGivesThatOrder() async throws {
    let pairs = (0..<3).map { _ in Promise.make(of: Int.self) }
    var iterator = pairs.map(\.promise).inCompletionOrder().makeAsyncIterator()
    for index in [2, 0, 1] {
      pairs[index].resolver.fulfill(index)
      let completion = await iterator.next()
      #expect(completion?.index == index)
      #expect(try completion?.value == index)
    }
    #expect(await iterator.next() == nil)
  }

  @Test func aBlockingWaitGetsTheValue() async throws {
    let (promise, resolver) = Promise.make(of: Int.self)
    let seen = Recorder<Int>()
    DispatchQueue.global().async { resolver.fulfill(1) }
    await onSmallStack {
      if let value = try? promise.map({ $0 + 1 }).wait(timeout: .seconds(60)) { seen.record(value) }
    }
    #expect(seen.events == [2])
  }

  @Test(arguments: ["serial", "dispatch", "main", "manual"])
  func aBlockingWaitIsRefusedOnItsOwnExecutor(_ name: String) async {
    DiagnosticRecorder.install()
    let manual = ManualPromiseExecutor()
    let executor: PromiseExecutor =
      switch name {
      case "serial": .serial(label: "wait")
      case "dispatch": .dispatch(DispatchQueue(label: "wait"))
      case "main": .main
      default: manual.executor
      }
    let (promise, resolver) = Promise.make(of: Int.self, on: executor)
    let line = UInt(#line - 1)
    let seen = Recorder<PromiseError.Code?>()
    Promise.value((), on: executor).done {
      do {
        _ = try promise.wait(timeout: .seconds(60))
      } catch {
        seen.record((error as? PromiseError)?.code)
      }
    }
    manual.drain()
    #expect(await seen.events(atLeast: 1) == [.waitRefused])
    #expect(DiagnosticRecorder.kinds(line: line).contains("waitedOnOwnExecutor"))
    resolver.fulfill(1)
  }

  @Test func aBlockingWaitIsRefusedInABlockOfItsDispatchQueue() async {
    DiagnosticRecorder.install()
    let queue = DispatchQueue(label: "wait")
    let (promise, resolver) = Promise.make(of: Int.self, on: .dispatch(queue))
    let seen = Recorder<PromiseError.Code?>()
    queue.async {
      do {
        _ = try promise.wait(timeout: .zero)
      } catch {
        seen.record((error as? PromiseError)?.code)
      }
    }
    #expect(await seen.events(atLeast: 1) == [.waitRefused])
    resolver.fulfill(1)
  }

  @Test func aSettledPromiseIsAnsweredOnItsOwnExecutorToo() async {
    let promise = Promise.value(3)
    let seen = Recorder<Int>()
    promise.done { _ in
      if let value = try? promise.wait(timeout: .zero) { seen.record(value) }
    }
    #expect(await seen.events(atLeast: 1) == [3])
  }
}
