package import Logging
import Synchronization

/// A log whose messages a test can wait for.
package final class AwaitedLog: LogHandler {
  private struct Contents {
    var messages: [String] = []
    var warnings: [String] = []
    var waiting: [(message: String, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let contents = Mutex(Contents())

  package init() {}

  package var messages: [String] { contents.withLock { $0.messages } }

  /// The messages from warnings on.
  package var warnings: [String] { contents.withLock { $0.warnings } }

  /// A logger that writes to it.
  package var logger: Logger { Logger(label: "test") { _ in self } }

  /// Waits until a message was written.
  package func message(_ message: String) async {
    await withCheckedContinuation { continuation in
      let isThere = contents.withLock { contents in
        if contents.messages.contains(message) { return true }
        contents.waiting.append((message, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  package func log(event: LogEvent) {
    let message = "\(event.message)"
    let due = contents.withLock { contents in
      contents.messages.append(message)
      if event.level >= .warning { contents.warnings.append(message) }
      defer { contents.waiting.removeAll { $0.message == message } }
      return contents.waiting.filter { $0.message == message }
    }
    for waiting in due { waiting.continuation.resume() }
  }

  package subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  package var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  package var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
}
