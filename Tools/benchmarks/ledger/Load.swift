import ArgumentParser
import PromiseLedger
import PromiseLedgerTesting

extension LedgerBenchmarks {
  /// A fixed amount of something, for a profiler that counts instructions.
  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Does one thing many times and measures nothing, for a profiler.")

    enum Thing: String, CaseIterable, ExpressibleByArgument {
      case emptyWork = "empty-work"
      case threeSteps = "three-steps"
      case calls, promises
    }

    @Argument(help: "What to do.")
    var thing: Thing

    @Argument(help: "How often.")
    var count = 20_000

    @Option(help: "The number of tasks that do it.")
    var tasks = 512

    func run() async throws {
      let directory = try TemporaryDirectory.onDisk()
      let ledger = try await BenchmarkedWork.open(directory.path + "/ledger")
      let body = try await body(ledger)
      try await BenchmarkedWork.running(ledger) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<tasks {
            let own = count / tasks + (task < count % tasks ? 1 : 0)
            group.addTask { for _ in 0..<own { try await body() } }
          }
          try await group.waitForAll()
        }
      }
      await ledger.close()
    }

    private func body(_ ledger: Ledger) async throws -> @Sendable () async throws -> Void {
      switch thing {
      case .emptyWork:
        return { try await ledger.start(BenchmarkedWork.Nothing()).consume() }
      case .threeSteps:
        return { try await ledger.start(BenchmarkedWork.ThreeSteps()).consume() }
      case .calls:
        let creation = try await ledger.createHandler(
          BenchmarkedWork.Called.self, repetition: .repeating)
        let handler = creation.handler
        return { _ = try await handler.call() }
      case .promises:
        return {
          let promise = try await ledger.createPromise(of: Int.self)
          try await promise.fulfill(1)
          _ = try await promise.consume()
        }
      }
    }
  }
}
