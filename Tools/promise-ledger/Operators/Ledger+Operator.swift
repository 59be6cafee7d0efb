import PromiseLedger

extension Ledger {
  /// Runs `body` on a ledger in a session with the role operator, which is closed afterwards.
  static func withOperator<R: Sendable>(
    at path: String, _ body: (Ledger) async throws -> R
  ) async throws -> R {
    let ledger = try await Ledger.open(at: path, as: .operator)
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
