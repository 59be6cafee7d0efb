/// An error: a test waited for something that did not happen.
public struct WaitedInVain: Error, Sendable, Hashable, CustomStringConvertible {
  /// What it waited for.
  public let what: String
  /// How long it waited, by the clock of the machine.
  public let patience: Duration
  /// The newest events at the end, if it waited for a condition of the ledger.
  public var newestEvents: [String] = []

  /// What it waited for, and the newest events.
  public var description: String {
    let events = newestEvents.map { "\n- \($0)" }.joined()
    return "Waited \(patience) in vain for \(what)."
      + (events.isEmpty ? "" : " The newest events:\(events)")
  }
}

/// Waits for `body`, but not for ever.
///
/// - Parameters:
///   - what: What it waits for, for the error.
///   - patience: The maximum time to wait, by the clock of the machine.
/// - Throws: ``WaitedInVain``; any error of `body`.
func wait<R: Sendable>(
  for what: String, _ patience: Duration, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
  try await withThrowingTaskGroup(of: R?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: patience)
      return nil
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() ?? nil else {
      throw WaitedInVain(what: what, patience: patience)
    }
    return result
  }
}
