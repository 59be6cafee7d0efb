import LedgerRuntime
import LedgerRuntimeTesting

/// Keeps a ledger in memory, as a program that has no LMDB can.
@main
struct MemoryClient {
  static func main() async throws {
    let memory = MemoryLedger()
    let app = try await memory.open(as: .app)
    let worker = try await memory.open(as: .appExtension)
    let key = try PromiseKey("greeting")
    let promise = try await app.findOrCreatePromise(key: key, of: String.self)
    let same = try await worker.findOrCreatePromise(key: key, of: String.self)
    try await same.fulfill("hello")
    print(try await promise.consume())
    await worker.close()
    await app.close()
  }
}
