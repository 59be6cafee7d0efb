import Dispatch
import LedgerPromises
import PromiseLedgerTesting

/// The table *Google Promises*, of its version 2.
enum GoogleRows {
  static let rows = making + chaining + failing + timing + combining

  private static let making = [
    MigrationRow("`Promise(on: queue) { fulfill, reject in fulfill(read()) }`", "on its queue") {
      _ in
      let queue = PromiseExecutor.serial(label: "queue")
      let read = { @Sendable in queue.isCurrent ? "on its queue" : "elsewhere" }
      return try await end(Promise(in: queue) { resolver in resolver.fulfill(read()) })
    },
    MigrationRow("`Promise(on: queue) { read() }`", "on its queue") { _ in
      let queue = PromiseExecutor.dispatch(DispatchQueue(label: "queue"))
      let read = { @Sendable in queue.isCurrent ? "on its queue" : "elsewhere" }
      return try await end(Promise(in: queue) { read() })
    },
    MigrationRow("`DispatchQueue.promises = queue`", "on it") { _ in
      // The one that it is already, because other tests run meanwhile; `ExecutorTests` sets others.
      let executor = PromiseExecutor.default
      PromiseExecutor.setDefault(executor)
      return try await end(Promise.value(1).map { _ in executor.isCurrent ? "on it" : "elsewhere" })
    },
    MigrationRow("`Promise(1)`", "1") { _ in describe(Promise.value(1).outcome) },
    MigrationRow("`Promise<Int>(error)`", "error 1") { _ in
      let error = TestError(1)
      return describe(Promise<Int>.rejected(error).outcome)
    },
    MigrationRow("`Promise<Int>.pending()`, `promise.fulfill(1)`", "pending, 1") { _ in
      let (promise, resolver) = Promise.make(of: Int.self)
      let before = describe(promise.outcome)
      resolver.fulfill(1)
      return "\(before), \(describe(promise.outcome))"
    },
    MigrationRow("`wrap { load($0) }`", "1") { _ in
      let load = { (completion: (Int?, (any Error)?) -> Void) in completion(1, nil) }
      return describe(Promise<Int>.wrap { load($0) }.outcome)
    },
  ]

  private static let chaining = [
    MigrationRow("`promise.then { $0 + 1 }`", "2, error 1") { _ in
      try await outcomes { promise in promise.map { $0 + 1 } }
    },
    MigrationRow("`promise.then { next($0) }`", "11, error 1") { _ in
      let next = { @Sendable (value: Int) in Promise.value(value + 10) }
      return try await outcomes { promise in promise.then { next($0) } }
    },
    MigrationRow("`promise.then { log($0) }`", "1, error 1 [1]") { log in
      try await outcomes { promise in promise.get { log($0) } }
    },
    MigrationRow("`promise.validate { $0 > 1 }`", "notValid, error 1") { _ in
      try await outcomes { promise in promise.validate { $0 > 1 } }
    },
    MigrationRow("`try awaitPromise(promise)`", "1") { _ in
      let promise = Promise.value(1)
      return describe(try await promise.value)
    },
  ]

  private static let failing = [
    MigrationRow("`promise.catch { log($0) }`", "1, error 1 [error 1]") { log in
      try await outcomes { promise in promise.onError { log($0) } }
    },
    MigrationRow("`promise.recover { _ in 5 }`", "1, 5") { _ in
      try await outcomes { promise in promise.recover { _ in 5 } }
    },
    MigrationRow("`promise.recover { _ in fallback() }`", "1, 5") { _ in
      let fallback = { @Sendable in Promise.value(5) }
      return try await outcomes { promise in promise.recoverThen { _ in fallback() } }
    },
    MigrationRow("`promise.always { stop() }`", "1, error 1 [stop, stop]") { log in
      let stop = { @Sendable in log("stop") }
      return try await outcomes { promise in promise.ensure { stop() } }
    },
  ]

  private static let timing = [
    MigrationRow("`promise.timeout(5)`", "timedOut") { _ in
      let clock = ManualClock()
      let (promise, resolver) = Promise.make(of: Int.self)
      let limited = promise.timeout(.seconds(5), clock: clock)
      clock.advance(by: .seconds(5))
      defer { resolver.cancel() }
      return try await end(limited)
    },
    MigrationRow("`promise.delay(5)`", "pending, 1, error 1") { _ in
      let (clock, promise) = (ManualClock(), Promise.value(1))
      let delayed = promise.delay(.seconds(5), clock: clock)
      await clock.sleepers(atLeast: 1)
      let before = describe(delayed.outcome)
      clock.advance(by: .seconds(5))
      let failed = Promise<Int>.rejected(TestError(1)).delay(.seconds(5), clock: clock)
      return try await "\(before), \(end(delayed)), \(end(failed))"
    },
    MigrationRow("`retry(attempts: 2, delay: 1) { fetch() }`", "error 1 [run, run, run]") { log in
      let fetch = fetching(log)
      let clock = ManualClock()
      let retried = Promise.retry(attempts: 3, delay: .constant(.seconds(1)), clock: clock) { _ in
        fetch()
      }
      for _ in 1...2 {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
      }
      return try await end(retried)
    },
    MigrationRow("`retry(condition: { _, error in mayRetry(error) }) { fetch() }`", "error 1 [run]")
    {
      log in
      let fetch = fetching(log)
      let mayRetry = { @Sendable (_: any Error) in false }
      return try await end(
        Promise.retry(attempts: 2, when: { error, _ in mayRetry(error) }) { _ in fetch() })
    },
  ]

  private static let combining = [
    MigrationRow("`all(promises)`", "[1, 2], error 1") { _ in
      var promises = [Promise.value(1), Promise.value(2)]
      let values = Promise.all(promises)
      promises.append(.rejected(TestError(1)))
      return try await "\(end(values)), \(end(Promise.all(promises)))"
    },
    MigrationRow("`all(first, second)`", "(1, \"a\")") { _ in
      let (first, second) = (Promise.value(1), Promise.value("a"))
      return try await end(Promise.all(first, second))
    },
    MigrationRow("`any(promises)`", "1, error 1") { _ in
      let promises = [Promise.value(1), Promise<Int>.rejected(TestError(1))]
      return await Promise.allSettled(promises).value.map { describe($0) }.joined(separator: ", ")
    },
    MigrationRow("`race(promises)`", "error 1") { _ in
      let promises = [Promise<Int>.rejected(TestError(1)), .value(2)]
      return try await end(Promise.race(promises))
    },
    MigrationRow("`promise.reduce(numbers) { add($0, $1) }`", "7, error 1") { _ in
      let add = { @Sendable (sum: Int, number: Int) in Promise.value(sum + number) }
      let numbers = [1, 2, 3]
      return try await outcomes { promise in
        promise.then { Promise.reduce(numbers, $0) { add($0, $1) } }
      }
    },
  ]
}
