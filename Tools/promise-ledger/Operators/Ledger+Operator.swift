import PromiseLedger

extension Ledger {
  /// Runs `body` on a ledger in a session with the role operator, which is closed afterwards.
  ///
  /// - Parameter reason: The reason for what it does, which the log shows as the instance of the session.
  static func withOperator<R: Sendable>(
    at path: String, reason: String? = nil, _ body: (Ledger) async throws -> R
  ) async throws -> R {
    var configuration = LedgerConfiguration()
    if let reason, !reason.isEmpty { configuration.instance = TextLimit.instance.fitting(reason) }
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    do {
      let result = try await body(ledger)
      await ledger.close()
      return result
    } catch {
      await ledger.close()
      throw error
    }
  }
}
