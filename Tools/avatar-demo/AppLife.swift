import Foundation
import PromiseLedger

/// The notifications that the system sends to an app: go to the background, come back.
///
/// On iOS these are the notifications of the app's life cycle; here they are lines of standard
/// input.
struct AppLife: Sendable {
  let ledger: Ledger
  let say: Narrator

  func follow() async throws {
    for await line in Self.linesOfStandardInput() {
      switch line {
      case "suspend":
        try await ledger.freeze()
        say("froze the ledger: no lock, no map, no descriptor is held")
      case "resume":
        say("comes back and unfreezes the ledger")
        try await ledger.unfreeze()
      default:
        say("does not know the event \(line)")
      }
    }
  }

  /// Reads on a separate thread, because reading blocks.
  private static func linesOfStandardInput() -> AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}
