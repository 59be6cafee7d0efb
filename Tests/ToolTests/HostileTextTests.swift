import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Texts that are longer, or other, than they look.
struct HostileTextTests {
  /// One character that a terminal shows is a million scalars here.
  @Test func combiningMarksMakeNoLongLine() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let text = "a" + String(repeating: "\u{301}", count: 1_000)
    let fulfilled = try await app.createPromise(of: String.self)
    try await fulfilled.fulfill(text)
    let rejected = try await app.createPromise(of: String.self)
    try await rejected.reject(StoredError(domain: "d", code: 1, message: text))
    await app.close()
    let run = try CommandRun("log", temporary.path, "--kind", "promiseResolved")
    let lines = run.output.split(separator: "\n").dropFirst()
    #expect(lines.count == 2)
    for line in lines { #expect(line.contains("...") && line.unicodeScalars.count < 240) }
    #expect(run.status == 0)
  }
}
