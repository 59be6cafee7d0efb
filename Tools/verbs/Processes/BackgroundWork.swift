import LedgerSystem
import Synchronization

/// Asynchronous work that a command waits for, with the messages that it sends on the way.
package final class BackgroundWork<Value: Sendable, Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    var result: Result<Value, any Error>?
  }

  private let state = Mutex(State())
  private let wake = WakeSemaphore()

  /// Starts the work.
  ///
  /// - Parameter work: Receives a closure that takes a message.
  /// - Throws: `SystemError` if there is no address space for the threads that tasks need.
  package init(
    _ work: @escaping @Sendable (@escaping @Sendable (Message) -> Void) async throws -> Value
  ) throws {
    try ThisProcess.checkRoomForTasks()
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

  /// Blocks this thread until the work is done, and delivers each message on it.
  ///
  /// - Parameters:
  ///   - interval: How often `pulse` is called while the work sends no messages.
  ///   - patience: The pulses stop after this long without a message.
  ///   - pulse: Shows that the work is still running.
  package func wait(
    every interval: Duration, for patience: Duration, _ pulse: () throws -> Void,
    _ body: (Message) throws -> Void
  ) throws -> Value {
    var silence = Duration.zero
    while true {
      let (messages, result) = state.withLock { state in
        defer { state.messages = [] }
        return (state.messages, state.result)
      }
      for message in messages { try body(message) }
      if let result { return try result.get() }
      if !messages.isEmpty { silence = .zero }
      if silence < patience { try pulse() }
      if !wake.wait(timeout: interval) { silence += interval }
    }
  }
}
