/// A store of promises, or of rows like them.
protocol DurableContestant: Sendable {
  /// The executor of the callers; `nil` for Swift's own.
  var executor: (any TaskExecutor)? { get }
  /// Creates a promise, durably.
  func create() async throws
  /// Creates a promise, resolves it and consumes it, each durably.
  func cycle() async throws
  /// The work of one turn.
  func run(_ task: DurableTask, callers: Int, for duration: Duration) async throws -> Turn
  func close() async
}

enum DurableTask: String, CaseIterable, Sendable {
  case create
  case cycle

  var name: String { self == .create ? "durable creation" : "create, resolve, consume" }
}

/// What a contestant did in one turn.
struct Turn: Sendable {
  var count = 0
  var seconds = 0.0
  /// The duration of each, in microseconds.
  var latencies: [Double] = []
  /// How often a store was busy with another process.
  var busyCount = 0

  var perSecond: Double { Double(count) / seconds }
}

extension DurableContestant {
  var executor: (any TaskExecutor)? { nil }

  /// Callers that each do one thing after the other.
  func run(_ task: DurableTask, callers: Int, for duration: Duration) async throws -> Turn {
    let start = monotonicNanoseconds()
    let end = start + UInt64(duration / .nanoseconds(1))
    var turn = try await withThrowingTaskGroup(of: Turn.self) { group in
      for _ in 0..<callers {
        group.addTask(executorPreference: executor) {
          var turn = Turn()
          while monotonicNanoseconds() < end { try await attempt(task, &turn) }
          return turn
        }
      }
      return try await group.reduce(into: Turn()) { sum, turn in
        sum.count += turn.count
        sum.latencies += turn.latencies
        sum.busyCount += turn.busyCount
      }
    }
    turn.seconds = Double(monotonicNanoseconds() - start) / 1e9
    return turn
  }

  private func attempt(_ task: DurableTask, _ turn: inout Turn) async throws {
    do {
      let latency = try await microseconds {
        switch task {
        case .create: try await create()
        case .cycle: try await cycle()
        }
      }
      turn.latencies.append(latency)
      turn.count += 1
    } catch  where error.isBusy {
      turn.busyCount += 1
    }
  }
}
