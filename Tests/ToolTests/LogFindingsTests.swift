import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LogFindingsTests {
  @Test func unknownKindIsShownAndFound() async throws {
    let sample = try await SampleLedger()
    try await sample.append(EventKind(rawValue: 999), payload: [0xCA, 0xFE])
    let run = try CommandRun("log", sample.path, "--kind", "999", "--format", "jsonl")
    #expect(
      run.output == #"""
        {"details":{"payloadInHex":"cafe","problem":"unknown to this build"},"kind":"unknown(999)","position":19,"session":"019b76da-a800-7000-8900-000000000001","subject":"019b76da-a800-7000-8900-000000000001","time":"2026-01-01T00:00:00.000000Z","version":1}

        """#)
    #expect(
      run.notes == """
        promise-ledger: Events of a kind or version that this build does not know: 1. Update the tool.

        """)
    #expect(run.status == 1)
  }

  @Test func payloadThatIsNoneIsShownAndCorrupt() async throws {
    let sample = try await SampleLedger()
    try await sample.append(.promiseConsumed, payload: [9])
    let run = try CommandRun("log", sample.path, "--after", "18", "--limit", "1")
    let problem = "The payload of a promiseConsumed event is damaged: the delivery 9 is unknown."
    #expect(run.output.hasSuffix("  DAMAGED: \(problem)\n"))
    #expect(run.notes == "promise-ledger: Events whose payload is damaged: 1.\n")
    #expect(run.status == 5)
  }

  @Test(arguments: [
    "table": "\n(incomplete: the rest cannot be read)\n",
    "json": "},\n{\"incomplete\":true}\n]\n", "jsonl": "}\n{\"incomplete\":true}\n",
  ])
  func damagedFrameEndsTheLogAfterTheLastIntactFrame(format: String, end: String) async throws {
    let sample = try await SampleLedger()
    try sample.damage("not needed")
    let run = try CommandRun("log", sample.path, "--format", format)
    #expect(run.output.contains("the user left"))
    #expect(!run.output.contains("sessionClosed"))
    #expect(run.output.hasSuffix(end))
    #expect(run.notes.hasPrefix("promise-ledger: corrupt: "))
    #expect(run.notes.hasSuffix(" The output is incomplete.\n"))
    #expect(run.status == 5)
  }

  @Test func pathOfNothingIsNotFound() throws {
    let temporary = try TemporaryLedger()
    let run = try CommandRun("log", temporary.path)
    #expect(run.output == "")
    #expect(
      run.notes == """
        promise-ledger: notALedger: \(temporary.path) is not a ledger: nothing is there. Give the path of a ledger.

        """)
    #expect(run.status == 3)
  }

  @Test func anEmptyPathIsUsage() throws {
    let run = try CommandRun("log", "")
    #expect(run.output == "")
    #expect(run.notes.hasPrefix("promise-ledger: invalidArgument: The path is empty."))
    #expect(run.status == 2)
  }

  @Test(arguments: ["/", "/dev/null"])
  func anythingButALedgerIsNotFound(path: String) throws {
    let run = try CommandRun("log", path)
    #expect(run.output == "")
    #expect(run.notes.hasPrefix("promise-ledger: notALedger: "))
    #expect(run.status == 3)
  }

  @Test(arguments: [
    ["log"], ["log", "x", "y"], ["log", "x", "--kind", "nonsense"], ["log", "x", "--limit=-1"],
    ["log", "x", "--format", "xml"], ["log", "x", "--after", "first"],
  ])
  func wrongCommandLinesAreUsageErrors(arguments: [String]) throws {
    let run = try CommandRun(arguments)
    #expect(run.output == "")
    #expect(run.notes.contains("Usage: promise-ledger"))
    #expect(run.status == 2)
  }

  @Test func helpIsData() throws {
    let run = try CommandRun("log", "--help")
    #expect(run.output.hasPrefix("OVERVIEW: Prints the events of a ledger in their order.\n"))
    #expect(run.notes == "")
    #expect(run.status == 0)
  }
}
