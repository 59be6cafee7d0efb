import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// A history that a second process replays, too: the command of this build.
@Suite(.timeLimit(.minutes(10)))
struct ReplayInASecondProcessTests {
  @Test func theCommandComesToTheSameState() async throws {
    let sample = try await CompactedSampleLedger()
    var verifier = ReplayVerifier(.ledger(sample.path))
    verifier.command = CommandRun.program.path
    let verification = try verifier.run()
    #expect(verification.usedSecondProcess)
    let run = try CommandRun("digest", sample.path, "--format", "json")
    #expect(run.output.contains("\"stateDigest\":\"\(verification.stateDigest)\""))
  }

  @Test func aCommandThatTellsNothingIsAnError() async throws {
    let sample = try await SampleLedger()
    var verifier = ReplayVerifier(.ledger(sample.path))
    verifier.command = "/bin/echo"
    #expect(throws: LedgerError.self) { try verifier.run() }
  }
}
