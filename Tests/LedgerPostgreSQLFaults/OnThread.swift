import LedgerSystem

/// Runs `body`, which may block, on a thread of its own.
package func onThread<R: Sendable>(
  _ body: @escaping @Sendable () throws -> R
) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    do {
      _ = try SystemThread.start(name: "fault") {
        continuation.resume(with: Result { try body() })
      }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}
