import Dispatch
import LedgerPromises
import PromiseLedgerTesting

/// The table *PromiseKit*, of its version 8.
enum PromiseKitRows {
  static let rows = making + chaining + failing + combining + timing

  private static let making = [
    MigrationRow("`firstly { try fetch() }`", "error 9") { _ in
      let fetch = { @Sendable () throws -> Promise<Int> in throw TestError(9) }
      return try await end(Promise.value(()).then { try fetch() })
    },
    MigrationRow("`Promise { seal in seal.fulfill(1) }`", "1") { _ in
      describe(Promise<Int> { resolver in resolver.fulfill(1) }.outcome)
    },
    MigrationRow("`Promise { seal in load(seal.resolve) }`", "error 1") { _ in
      let load = { (completion: (Int?, (any Error)?) -> Void) in completion(nil, TestError(1)) }
      return describe(Promise<Int> { complete in load { complete($0, $1) } }.outcome)
    },
    MigrationRow("`Promise.value(1)`", "1") { _ in describe(Promise.value(1).outcome) },
    MigrationRow("`Promise<Int>(error: error)`", "error 1") { _ in
      let error = TestError(1)
      return describe(Promise<Int>.rejected(error).outcome)
    },
    MigrationRow("`Promise<Int>.pending()`", "pending, 1") { _ in
      let (promise, resolver) = Promise.make(of: Int.self)
      let before = describe(promise.outcome)
      resolver.fulfill(1)
      return "\(before), \(describe(promise.outcome))"
    },
    MigrationRow("`Guarantee { deliver in deliver(1) }`", "1") { _ in
      describe(await Guarantee(ifDropped: 0) { deliver in deliver(1) }.value)
    },
    MigrationRow("`queue.async(.promise) { read() }`", "on its queue") { _ in
      let queue = DispatchQueue(label: "queue")
      let executor = PromiseExecutor.dispatch(queue)
      let read = { @Sendable in executor.isCurrent ? "on its queue" : "elsewhere" }
      return try await end(Promise(in: executor) { read() })
    },
  ]

  private static let chaining = [
    MigrationRow("`promise.then { next($0) }`", "11, error 1") { _ in
      let next = { @Sendable (value: Int) in Promise.value(value + 10) }
      return try await outcomes { promise in promise.then { next($0) } }
    },
    MigrationRow("`promise.map { $0 + 1 }`", "2, error 1") { _ in
      try await outcomes { promise in promise.map { $0 + 1 } }
    },
    MigrationRow("`promise.compactMap { Int($0) }`", "7, noValue") { _ in
      let promises = [Promise.value("7"), Promise.value("seven")]
      let ends = promises.map { promise in promise.compactMap { Int($0) } }
      return try await "\(end(ends[0])), \(end(ends[1]))"
    },
    MigrationRow("`promise.done { log($0) }`", "(), error 1 [1]") { log in
      try await outcomes { promise in promise.done { log($0) } }
    },
    MigrationRow("`promise.done(on: .main) { show($0) }`", "(), error 1 [on main]") { log in
      let show = { @MainActor @Sendable (_: Int) in log("on main") }
      return try await outcomes { promise in promise.done(on: .main) { show($0) } }
    },
    MigrationRow("`conf.Q = (map: queue, return: queue)`", "on it") { _ in
      // The one that it is already, because other tests run meanwhile; `ExecutorTests` sets others.
      let executor = PromiseExecutor.default
      PromiseExecutor.setDefault(executor)
      return try await end(Promise.value(1).map { _ in executor.isCurrent ? "on it" : "elsewhere" })
    },
    MigrationRow("`promise.get { log($0) }`", "1, error 1 [1]") { log in
      try await outcomes { promise in promise.get { log($0) } }
    },
    MigrationRow(
      "`promise.tap { log($0) }`",
      "1, error 1 [fulfilled(1), rejected(TestError(number: 1))]"
    ) { log in
      try await outcomes { promise in promise.tap { log($0) } }
    },
    MigrationRow("`promise.asVoid()`", "(), error 1") { _ in
      try await outcomes { promise in promise.asVoid() }
    },
    MigrationRow("`promise.mapValues { $0 + 1 }`", "[2, 3]") { _ in
      let promise = Promise.value([1, 2])
      return try await end(promise.map { $0.map { $0 + 1 } })
    },
    MigrationRow("`promise.thenMap { download($0) }`", "[11, 12]") { _ in
      let download = { @Sendable (url: Int) in Promise.value(url + 10) }
      let promise = Promise.value([1, 2])
      return try await end(promise.then { Promise.mapInParallel($0) { download($0) } })
    },
    MigrationRow("`promise.result`", "1, error 1") { _ in
      let (promise, failed) = (Promise.value(1), Promise<Int>.rejected(TestError(1)))
      return "\(describe(promise.outcome)), \(describe(failed.outcome))"
    },
    MigrationRow("`try promise.wait()`", "1") { _ in
      let promise = Promise.value(1)
      return try synchronously { describe(try promise.wait(timeout: .seconds(5))) }
    },
    MigrationRow("`try await promise.async()`", "1") { _ in
      let promise = Promise.value(1)
      return describe(try await promise.value)
    },
    MigrationRow("`promise.cancellize().cancel()`", "cancelled") { _ in
      let (promise, resolver) = Promise.make(of: Int.self)
      promise.cancel()
      defer { resolver.cancel() }
      return try await end(promise)
    },
  ]

  private static let failing = [
    MigrationRow("`promise.catch { log($0) }`", "(), () [error 1]") { log in
      try await outcomes { promise in promise.catch { log($0) }.asPromise() }
    },
    MigrationRow("`promise.catch(policy: .allErrors) { log($0) }`", "() [cancelled]") { log in
      let promise = Promise<Int>.cancelled()
      return describe(await promise.catch(includingCancellation: true) { log($0) }.value)
    },
    MigrationRow("`promise.cauterize()`", "(), () [error 1]") { log in
      try await outcomes { promise in promise.catch { log($0) }.asPromise() }
    },
    MigrationRow("`promise.recover { _ in fallback() }`", "1, 5") { _ in
      let fallback = { @Sendable in Promise.value(5) }
      return try await outcomes { promise in promise.recoverThen { _ in fallback() } }
    },
    MigrationRow("`promise.recover { _ in .value(0) }`", "1, 0") { _ in
      try await outcomes { promise in promise.recoverAlways { _ in 0 }.asPromise() }
    },
    MigrationRow("`promise.ensure { stop() }`", "1, error 1 [stop, stop]") { log in
      let stop = { @Sendable in log("stop") }
      return try await outcomes { promise in promise.ensure { stop() } }
    },
    MigrationRow("`promise.ensureThen { close() }`", "1, error 1 [close, close]") { log in
      let close = { @Sendable () -> Promise<Void> in
        log("close")
        return .value(())
      }
      return try await outcomes { promise in promise.ensureAsync { close() } }
    },
    MigrationRow(
      "`promise.catch { log($0) }.finally { stop() }`", "(), () [stop, error 1, stop]"
    ) { log in
      let stop = { @Sendable in log("stop") }
      return try await outcomes { promise in
        promise.catch { log($0) }.finally { stop() }.asPromise()
      }
    },
  ]

  private static let combining = [
    MigrationRow("`when(fulfilled: promises)`", "[1, 2], error 1") { _ in
      var promises = [Promise.value(1), Promise.value(2)]
      let values = Promise.all(promises)
      promises.append(.rejected(TestError(1)))
      return try await "\(end(values)), \(end(Promise.all(promises)))"
    },
    MigrationRow("`when(fulfilled: first, second)`", "(1, \"a\")") { _ in
      let (first, second) = (Promise.value(1), Promise.value("a"))
      return try await end(Promise.all(first, second))
    },
    MigrationRow("`when(fulfilled: generator, concurrently: 2)`", "[1, 2, 3]") { _ in
      let factories: [@Sendable () throws -> Promise<Int>] = [
        { .value(1) }, { .value(2) }, { .value(3) },
      ]
      return try await end(Promise.all(limit: 2, factories: factories))
    },
    MigrationRow("`when(resolved: promises)`", "1, error 1") { _ in
      let promises = [Promise.value(1), Promise<Int>.rejected(TestError(1))]
      return await Promise.allSettled(promises).value.map { describe($0) }.joined(separator: ", ")
    },
    MigrationRow("`race(promises)`", "error 1") { _ in
      let promises = [Promise<Int>.rejected(TestError(1)), .value(2)]
      return try await end(Promise.race(promises))
    },
    MigrationRow("`race(fulfilled: promises)`", "2") { _ in
      let promises = [Promise<Int>.rejected(TestError(1)), .value(2)]
      return try await end(Promise.any(promises))
    },
  ]

  private static let timing = [
    MigrationRow("`after(seconds: 5)`", "pending, ()") { _ in
      let clock = ManualClock()
      let later = Promise.after(.seconds(5), clock: clock)
      await clock.sleepers(atLeast: 1)
      let before = describe(later.outcome)
      clock.advance(by: .seconds(5))
      return try await "\(before), \(end(later))"
    },
    MigrationRow("`race(promise, after(seconds: 5).map { throw tooSlow })`", "error 5") { _ in
      let (clock, tooSlow) = (ManualClock(), TestError(5))
      let (promise, resolver) = Promise.make(of: Int.self)
      let limited = promise.timeout(.seconds(5), throwing: tooSlow, clock: clock)
      clock.advance(by: .seconds(5))
      defer { resolver.cancel() }
      return try await end(limited)
    },
    MigrationRow("`attempt(maximumRetryCount: 3) { fetch() }`", "error 1 [run, run, run]") { log in
      let fetch = fetching(log)
      let clock = ManualClock()
      let retried = Promise.retry(attempts: 3, delay: .constant(.seconds(2)), clock: clock) { _ in
        fetch()
      }
      for _ in 1...2 {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
      }
      return try await end(retried)
    },
  ]
}
