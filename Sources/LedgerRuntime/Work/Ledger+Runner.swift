import Logging

extension Ledger {
  /// Runs work until the session ends, if the configuration says so. It does not keep the ledger open.
  func startRunner() throws(LedgerError) {
    guard case .automatic(let limits) = configuration.runner else { return }
    let loop = try WorkLoop(self, kinds: nil, limits)
    let logger = configuration.logger
    automaticRunner.set(
      Task.detached {
        do {
          try await loop.runUntilStopped()
        } catch {
          logger.error("the runner of a session ended", metadata: ["error": "\(error)"])
        }
      })
  }
}
