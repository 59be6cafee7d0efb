import LedgerPromises
import PromiseLedgerTesting

/// The table *Hydra*, of its version 2.
enum HydraRows {
  static let rows = making + chaining + failing + timing + combining

  private static let making = [
    MigrationRow("`Promise { resolve, reject, _ in resolve(1) }`", "not started, then 1") { _ in
      let promise = Promise<Int>.lazy { resolver in resolver.fulfill(1) }
      let isWaiting = "\(promise)".contains("not started")
      return try await "\(isWaiting ? "not started" : "started"), then \(end(promise))"
    },
    MigrationRow(
      "`Promise(in: .background) { resolve, reject, _ in resolve(read()) }`", "on its queue"
    ) { _ in
      let read = { @Sendable in PromiseExecutor.background.isCurrent ? "on its queue" : "elsewhere"
      }
      return try await end(Promise(in: .background) { resolver in resolver.fulfill(read()) })
    },
    MigrationRow("`async(in: .background) { read() }`", "on its queue") { _ in
      let read = { @Sendable in PromiseExecutor.background.isCurrent ? "on its queue" : "elsewhere"
      }
      return try await end(Promise(in: .background) { read() })
    },
    MigrationRow("`Promise(resolved: 1)`", "1") { _ in describe(Promise.value(1).outcome) },
    MigrationRow("`Promise(rejected: error)`", "error 1") { _ in
      let error = TestError(1)
      return describe(Promise<Int>.rejected(error).outcome)
    },
    MigrationRow("`Promise<Int>()`, `promise.resolve(1)`", "pending, 1") { _ in
      let (promise, resolver) = Promise.make(of: Int.self)
      let before = describe(promise.outcome)
      resolver.fulfill(1)
      return "\(before), \(describe(promise.outcome))"
    },
    MigrationRow("`status.isCancelled`", "false, true") { _ in
      let (promise, resolver) = Promise.make(of: Int.self)
      let before = !resolver.isOpen
      promise.cancel()
      return "\(before), \(!resolver.isOpen)"
    },
    MigrationRow("`InvalidationToken()`, `token.invalidate()`", "cancelled, cancelled") { _ in
      let token = CancellationToken()
      let (work, resolver) = Promise.make(of: Int.self)
      let chain = work.cancelled(by: token).map { $0 + 1 }
      token.cancel()
      defer { resolver.cancel() }
      return try await "\(end(work)), \(end(chain))"
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
    MigrationRow("`promise.then { try check($0) }`", "error 9, error 1") { _ in
      let check = { @Sendable (value: Int) throws -> Void in throw TestError(9) }
      return try await outcomes { promise in promise.get { try check($0) } }
    },
    MigrationRow("`promise.then(in: .main) { show($0) }`", "1, error 1 [on main]") { log in
      let show = { @MainActor @Sendable (_: Int) in log("on main") }
      return try await outcomes { promise in promise.get(on: .main) { show($0) } }
    },
    MigrationRow("`promise.pass { save($0) }`", "1, error 1 [1]") { log in
      let save = { @Sendable (value: Int) -> Promise<String> in
        log(value)
        return .value("saved")
      }
      return try await outcomes { promise in promise.pass { save($0) } }
    },
    MigrationRow("`promise.pass { log($0) }`", "1, error 1 [1]") { log in
      try await outcomes { promise in promise.get { log($0) } }
    },
    MigrationRow("`promise.validate { $0 > 1 }`", "notValid, error 1") { _ in
      try await outcomes { promise in promise.validate { $0 > 1 } }
    },
    MigrationRow("`promise.void`", "(), error 1") { _ in
      try await outcomes { promise in promise.asVoid() }
    },
    MigrationRow("`try await(promise)`", "1") { _ in
      let promise = Promise.value(1)
      return describe(try await promise.value)
    },
    MigrationRow("`promise.isPending`, `promise.result`, `promise.error`", "false, 1, error 1") {
      _ in
      let (promise, failed) = (Promise.value(1), Promise<Int>.rejected(TestError(1)))
      return
        "\(promise.isPending), \(describe(promise.outcome)), \(describe(failed.outcome?.error))"
    },
  ]

  private static let failing = [
    MigrationRow("`promise.catch { log($0) }`", "(), () [error 1]") { log in
      try await outcomes { promise in promise.catch { log($0) }.asPromise() }
    },
    MigrationRow("`promise.catch { try check($0) }`", "(), error 9") { _ in
      let check = { @Sendable (_: any Error) throws -> Void in throw TestError(9) }
      return try await outcomes { promise in promise.asVoid().recover { try check($0) } }
    },
    MigrationRow("`promise.recover { _ in fallback() }`", "1, 5") { _ in
      let fallback = { @Sendable in Promise.value(5) }
      return try await outcomes { promise in promise.recoverThen { _ in fallback() } }
    },
    MigrationRow("`promise.always { stop() }`", "1, error 1 [stop, stop]") { log in
      let stop = { @Sendable in log("stop") }
      return try await outcomes { promise in promise.ensure { stop() } }
    },
    MigrationRow(
      "`promise.always { try close() }`", "error 9, error 9", here: "error 9, cleanUpFailed"
    ) {
      _ in
      let close = { @Sendable () throws -> Void in throw TestError(9) }
      return try await outcomes { promise in promise.ensureAsync { .value(try close()) } }
    },
    MigrationRow("`promise.cancelled { stop() }`", "cancelled [stop]") { log in
      let stop = { @Sendable in log("stop") }
      let promise = Promise<Int>.cancelled()
      return try await end(promise.tap { if $0.isCancelled { stop() } })
    },
  ]

  private static let timing = [
    MigrationRow("`promise.timeout(timeout: 5)`", "timedOut") { _ in
      let clock = ManualClock()
      let (promise, resolver) = Promise.make(of: Int.self)
      let limited = promise.timeout(.seconds(5), clock: clock)
      clock.advance(by: .seconds(5))
      defer { resolver.cancel() }
      return try await end(limited)
    },
    MigrationRow("`promise.timeout(timeout: 5, error: tooSlow)`", "error 5") { _ in
      let (clock, tooSlow) = (ManualClock(), TestError(5))
      let (promise, resolver) = Promise.make(of: Int.self)
      let limited = promise.timeout(.seconds(5), throwing: tooSlow, clock: clock)
      clock.advance(by: .seconds(5))
      defer { resolver.cancel() }
      return try await end(limited)
    },
    MigrationRow("`promise.defer(5)`", "pending, 1, error 1") { _ in
      let (clock, promise) = (ManualClock(), Promise.value(1))
      let delayed = promise.delay(.seconds(5), clock: clock)
      await clock.sleepers(atLeast: 1)
      let before = describe(delayed.outcome)
      clock.advance(by: .seconds(5))
      let failed = Promise<Int>.rejected(TestError(1)).delay(.seconds(5), clock: clock)
      return try await "\(before), \(end(delayed)), \(end(failed))"
    },
    MigrationRow("`promise.retry(3)`", "error 1 [run, run, run]") { log in
      let fetch = fetching(log)
      return try await end(Promise.retry(attempts: 3) { _ in fetch() })
    },
    MigrationRow("`promise.retryWhen(3) { _, error in mayRetry(error) }`", "error 1 [run]") { log in
      let fetch = fetching(log)
      let mayRetry = { @Sendable (_: any Error) in Promise.value(false) }
      return try await end(
        Promise.retry(attempts: 3, when: { error, _ in try await mayRetry(error).value }) { _ in
          fetch()
        })
    },
  ]

  private static let combining = [
    MigrationRow("`all(promises)`", "[1, 2], error 1") { _ in
      var promises = [Promise.value(1), Promise.value(2)]
      let values = Promise.all(promises)
      promises.append(.rejected(TestError(1)))
      return try await "\(end(values)), \(end(Promise.all(promises)))"
    },
    MigrationRow("`all(promises, concurrency: 2)`", "[1, 2, 3]") { _ in
      let factories: [@Sendable () throws -> Promise<Int>] = [
        { .value(1) }, { .value(2) }, { .value(3) },
      ]
      return try await end(Promise.all(limit: 2, factories: factories))
    },
    MigrationRow("`any(promises)`", "error 1") { _ in
      let promises = [Promise<Int>.rejected(TestError(1)), .value(2)]
      return try await end(Promise.race(promises))
    },
    MigrationRow("`Promise<Void>.zip(first, second)`", "(1, \"a\")") { _ in
      let (first, second) = (Promise.value(1), Promise.value("a"))
      return try await end(first.zip(second))
    },
    MigrationRow("`map(as: .series, urls) { download($0) }`", "[11, 12] [1, 2]") { log in
      let download = downloading(log)
      let urls = [1, 2]
      return try await end(Promise.mapInSeries(urls) { download($0) })
    },
    MigrationRow("`map(as: .parallel, urls) { download($0) }`", "[11, 12]") { _ in
      let download = { @Sendable (url: Int) in Promise.value(url + 10) }
      let urls = [1, 2]
      return try await end(Promise.mapInParallel(urls) { download($0) })
    },
    MigrationRow("`reduce(numbers, 0) { add($0, $1) }`", "6") { _ in
      let add = { @Sendable (sum: Int, number: Int) in Promise.value(sum + number) }
      let numbers = [1, 2, 3]
      return try await end(Promise.reduce(numbers, 0) { add($0, $1) })
    },
  ]
}

/// Makes promises that fail, and logs that it did.
func fetching(_ log: MigrationLog) -> @Sendable () -> Promise<Int> {
  {
    log("run")
    return .rejected(TestError(1))
  }
}

/// Makes promises from addresses, and logs these.
func downloading(_ log: MigrationLog) -> @Sendable (Int) -> Promise<Int> {
  { url in
    log(url)
    return .value(url + 10)
  }
}
