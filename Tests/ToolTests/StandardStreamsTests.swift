import Foundation
import PromiseLedgerTesting
import Testing

/// Standard streams that are closed, or cannot take more.
@Suite(.timeLimit(.minutes(10)))
struct StandardStreamsTests {
  /// A file that was opened in the place of a closed stream would receive the stream's output.
  @Test(arguments: ["log", "verify --format json", "export", "compact"])
  func noFileGetsTheNumberOfAClosedStream(verb: String) async throws {
    let sample = try await SampleLedger()
    #expect(try CommandRun(shell: "\(verb) '\(sample.path)' <&- >&- 2>&-").status == 74)
    #expect(try CommandRun(shell: "\(verb) '\(sample.path)' <&- 2>&- | wc -c").status == 0)
    #expect(try CommandRun("verify", sample.path).status == 0)
  }

  @Test func helpForAClosedStreamIsAFailure() throws {
    #expect(try CommandRun(shell: "--help <&- >&- 2>&-").status == 74)
  }

  #if os(Linux)
    @Test(arguments: ["--help", "log --help", "log", "export"])
    func outputThatCannotBeWrittenSaysWhy(words: String) async throws {
      let sample = try await SampleLedger()
      let path = words.hasSuffix("--help") ? "" : "'\(sample.path)'"
      let run = try CommandRun(shell: "\(words) \(path) >/dev/full")
      #expect(
        run.notes == "promise-ledger: The output cannot be written: No space left on device.\n")
      #expect(run.status == 74)
    }
  #endif
}
