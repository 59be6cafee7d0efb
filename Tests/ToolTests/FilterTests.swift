import PromiseLedger
import Testing

/// The events that `log` leaves out.
@Suite(.timeLimit(.minutes(10)))
struct FilterTests {
  @Test(arguments: [
    (["--promise", "4b20"], "3 4 5"), (["--key", "avatar/room@example.org"], "3 4 5"),
    (["--promise", "019b76da-addc-7000-8700-000000000006"], "12 13 14"),
    // An end, as the table prints it; a key; either of them as the subject.
    (["--promise", "2a7161c9"], "3 4 5"), (["--promise", "avatar/room@example.org"], "3 4 5"),
    (["--subject", "2A7161C9"], "3 4 5"), (["--subject", "avatar/room@example.org"], "3 4 5"),
    (["--subject", "00000002"], "2 15 16 17"), (["--subject", "00000001"], "1"),
    (["--session", "00000002", "--kind", "sessionFrozen"], "15"),
    (
      ["--session", "019b76da-a800", "--kind", "sessionFrozen", "--kind", "sessionClosed"], "15 17"
    ),
    (["--after", "5", "--through", "7"], "6 7"), (["--through", "2", "--limit", "1"], "1"),
    (["--until", "2026-01-01T00:00:01Z"], "1 2 3"),
    (["--until", "2026-01-01T00:00:01.499999Z"], "1 2 3"),
    (["--since", "2026-01-01T00:00:01.5Z", "--through", "5"], "4 5"),
    (["--since", "2026-01-02"], ""),
    (["--kind", "promiseCreated", "--limit", "2"], "3 6"), (["--limit", "0"], ""),
  ])
  func filtersMustAllFit(options: [String], positions: String) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(["log", sample.path, "--format", "jsonl"] + options)
    let found = run.output.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /"position":([0-9]+)/)?.1
    }
    #expect(found.joined(separator: " ") == positions)
    #expect(run.status == 0 && run.notes == "")
  }

  @Test(arguments: [
    ["--since", "yesterday"], ["--since", "2026-01-01T00:00:00.Z"], ["--promise", ""],
    // Days and hours that there are not, and times that a ledger cannot hold.
    ["--since", "2026-02-31"], ["--until", "2026-01-01T25:00:00Z"], ["--since", "9999-12-31"],
    ["--since", "2262-04-11T23:47:16.999Z"], ["--until", "0001-01-01T00:00:00.5Z"],
    ["--promise", "4b", "--key", "a"], ["--key", ""], ["--timeout", "0"], ["--through", "-1"],
  ])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["log", "/nowhere"] + options)
    #expect(run.status == 2)
    #expect(run.output == "")
  }
}
