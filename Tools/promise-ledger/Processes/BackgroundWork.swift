import LedgerSystem
import Synchronization

/// Asynchronous work that a command waits for, with what it says on the way.
final class BackgroundWork<Value: Sendable, Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    var result: Result<Value, any Error>?
  }

  private let state = Mutex(State())
  private let wake = WakeSemaphore()

  /// Begins.
  ///
  /// - Parameter work: Gets a closure that takes a message.
  init(_ work: @escaping @Sendable (@escaping @Sendable (Message) -> Void) async throws -> Value) {
    Task.detached { [self] in
      let result: Result<Value, any Error>
      do {
        result = .success(try await work { self.say($0) })
      } catch {
        result = .failure(error)
      }
      state.withLock { $0.result = result }
      wake.signal()
    }
  }

  private func say(_ message: Message) {
    state.withLock { $0.messages.append(message) }
    wake.signal()
  }

  /// Blocks this thread until the work is done, and hands over each message in it.
  ///
  /// - Parameters:
  ///   - interval: How often `pulse` is called at least while the work goes on, also if it says nothing:
  ///     opening a ledger replays its tail, and may wait for another writer, until that is an error.
  ///   - pulse: Shows that the work goes on.
  func wait(
    every interval: Duration, _ pulse: () throws -> Void, _ body: (Message) throws -> Void
  ) throws -> Value {
    while true {
      let (messages, result) = state.withLock { state in
        defer { state.messages = [] }
        return (state.messages, state.result)
      }
      for message in messages { try body(message) }
      if let result { return try result.get() }
      try pulse()
      _ = wake.wait(timeout: interval)
    }
  }
}
