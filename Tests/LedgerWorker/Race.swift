import PromiseLedger

/// Resolves the same promises as other processes, from several tasks. It prints `W`, the id and its
/// own value for each race that it won, and `L`, the id and the stored value for each that it lost.
struct Race {
  private let path: String
  private let label: String
  private let promiseCount: Int
  private let taskCount: Int

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    label = try arguments.next("label")
    promiseCount = try arguments.number("promises")
    taskCount = try arguments.number("tasks")
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .appExtension)
    Output.line("opened \(ledger.session)")
    // All start at the same time.
    guard readLine() == "go" else { return }
    try await withThrowingTaskGroup { group in
      for task in 0..<taskCount {
        group.addTask { try await race(in: ledger, "\(label).\(task)") }
      }
      try await group.waitForAll()
    }
    await ledger.close()
    Output.line("done")
  }

  private func race(in ledger: Ledger, _ value: String) async throws {
    for number in 0..<promiseCount {
      let id = try PromiseKey("race/\(number)").promiseID
      let promise = try ledger.promise(id: id, of: String.self)
      let resolution = try await promise.fulfill(value)
      let stored = try await promise.outcome.get()
      let mark = if case .resolved = resolution { "W" } else { "L" }
      Output.line("\(mark) \(id) \(stored) \(value)")
    }
  }
}
