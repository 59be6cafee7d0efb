import Logging

extension Ledger {
  /// Runs work until the session ends, if the configuration says so. It does not keep the ledger open.
  func startRunner() throws(LedgerError) {
    guard case .automatic(var limits) = configuration.runner else { return }
    for kind in limits.kinds.keys where configuration.handlers[work: kind] == nil {
      limits.kinds[kind] = nil
      configuration.logger.warning(
        "a limit of the runner is for a kind of work that the session does not know",
        metadata: ["kind": "\(kind)"])
    }
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
