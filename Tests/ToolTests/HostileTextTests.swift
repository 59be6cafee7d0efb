import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Texts that are longer, or other, than they look.
struct HostileTextTests {
  @Test(arguments: ["log", "import", "stats", "verify"])
  func argumentsThatAreNotUTF8AreRefused(verb: String) throws {
    let temporary = try TemporaryLedger()
    try FileManager.default.createDirectory(
      atPath: temporary.path, withIntermediateDirectories: false)
    let run = try CommandRun(
      shell: "\(verb) \"$(printf '%s/a\\377b' '\(temporary.path)')\" /dev/null")
    #expect(
      run.notes
        == "promise-ledger: Argument 2 is not UTF-8, so it cannot be taken as it is. Give UTF-8.\n")
    #expect(run.output == "")
    #expect(run.status == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func argumentsInUTF8AreTaken() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(shell: "promises '\(sample.path)' --tag 'Zoë \u{FFFD}'")
    #expect(run.notes == "" && run.status == 0)
  }

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
