import LedgerPromises
import PromiseLedgerTesting

/// The table *Where bodies run*.
enum BodyRows {
  static let rows = [
    MigrationRow("at once, on the calling thread", "before the next line: 1") { log in
      let queue = PromiseExecutor.serial(label: "queue")
      let read = { @Sendable in queue.isCurrent ? 0 : 1 }
      let promise = Promise<Int>(on: queue) { resolver in resolver.fulfill(read()) }
      return "before the next line: \(describe(promise.outcome))"
    },
    MigrationRow("soon, on a queue", "1") { _ in
      let queue = PromiseExecutor.serial(label: "queue")
      let read = { @Sendable in queue.isCurrent ? 1 : 0 }
      return try await end(Promise<Int>(in: queue) { resolver in resolver.fulfill(read()) })
    },
    MigrationRow("on a queue, once something observes the promise", "not started, 1") { _ in
      let queue = PromiseExecutor.serial(label: "queue")
      let read = { @Sendable in queue.isCurrent ? 1 : 0 }
      let promise = Promise<Int>.lazy(on: queue) { resolver in resolver.fulfill(read()) }
      let isWaiting = "\(promise)".contains("not started")
      return try await "\(isWaiting ? "not started" : "started"), \(end(promise))"
    },
    MigrationRow("soon, on the main actor", "on main") { _ in
      let read = { @MainActor @Sendable in "on main" }
      return try await end(Promise(in: .main) { read() })
    },
    MigrationRow("soon, in a task of its own", "1") { _ in
      let load = { @Sendable () async throws -> Int in 1 }
      return try await end(Promise { try await load() })
    },
  ]
}
