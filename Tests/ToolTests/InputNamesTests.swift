import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Ids that one command prints and another reads.
@Suite(.timeLimit(.minutes(10)))
struct InputNamesTests {
  /// A shell runs a command with a text as its input.
  private func run(_ input: String, _ arguments: [String]) throws -> CommandRun {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = directory.path + "/input"
    try input.write(toFile: file, atomically: true, encoding: .utf8)
    return try CommandRun(after: "exec <'\(file)'", arguments)
  }

  private func ledger() async throws -> OnCallLedger {
    try await OnCallLedger(.closed) { writer in
      for number in 1...3 as ClosedRange<UInt64> { try await writer.promise(number) }
      try await writer.handler(4)
    }
  }

  @Test func aListIsPipedIntoAVerb() async throws {
    let sample = try await ledger()
    let tool = CommandRun.program.path
    let run = try CommandRun(
      [
        "-c",
        "'\(tool)' promises '\(sample.path)' --orphaned --limit 2 -o ids | '\(tool)' abandon '\(sample.path)' - --reason x --apply",
      ], of: URL(fileURLWithPath: "/bin/sh"))
    #expect(
      run.output == """
        result    name              id                                    details
        done                        \(OnCallLedger.promise(1))  abandon
        done                        \(OnCallLedger.promise(2))  abandon

        """)
    #expect(run.notes == "" && run.status == 0)
    let left = try CommandRun("promises", sample.path, "-o", "ids")
    #expect(left.output == "\(OnCallLedger.promise(3))\n")
    await sample.close()
  }

  @Test func namesInAnyFormAreTakenOnce() async throws {
    let sample = try await ledger()
    let id = "\(OnCallLedger.promise(1))"
    let preview = try run(
      "\(id)\r\n\n\(id.suffix(8))\n\(OnCallLedger.promise(2))", ["cancel", sample.path, "-"])
    #expect(preview.output.split(separator: "\n").count == 3)
    #expect(preview.notes == "promise-ledger: Nothing was changed. To cancel 2, add --apply.\n")
    #expect(preview.status == 0)
    let none = try run("", ["cancel", sample.path, "-", "--apply"])
    #expect(none.output.split(separator: "\n").count == 1 && none.status == 0)
    let handler = try run("\(OnCallLedger.id(4))\n", ["invalidate", sample.path, "-"])
    #expect(handler.output.split(separator: "\n").count == 2)
    #expect(
      handler.notes == "promise-ledger: Nothing was changed. To invalidate 1, add --apply.\n")
    #expect(handler.status == 0)
    await sample.close()
  }

  /// One line that names nothing spoils all, before anything is changed.
  @Test(arguments: [
    ("019b76da-a800-7000-8700-00000000ffff", "Line 2 of standard input: "),
    ("(incomplete: the rest cannot be read)", "Line 2 of standard input: "),
    ("\u{1B}[2J", "Line 2 of standard input: "),
    ("019b76da", "Line 2 of standard input: Several have the name 019b76da: "),
  ])
  func aLineThatNamesNothingChangesNothing(line: String, note: String) async throws {
    let sample = try await ledger()
    let run = try run(
      "\(OnCallLedger.promise(1))\n\(line)\n",
      ["abandon", sample.path, "-", "--reason", "x", "--apply"])
    #expect(run.notes.contains(note) && !run.notes.contains("\u{1B}"))
    #expect(run.output == "" && run.status == 3)
    #expect(
      try CommandRun("promises", sample.path, "-o", "ids").output.split(separator: "\n").count == 3)
    await sample.close()
  }

  @Test func manyNamesAreRead() async throws {
    let sample = try await ledger()
    let line = "\(OnCallLedger.promise(1))\n"
    let many = try run(
      String(repeating: line, count: 20_000), ["cancel", sample.path, "-"])
    #expect(many.output.split(separator: "\n").count == 2 && many.status == 0)
    let both = try run(line, ["cancel", sample.path, "-", "--orphaned"])
    #expect(both.status == 2)
    await sample.close()
  }

  /// The refusals of a preview are those of the change.
  @Test(arguments: [[], ["--apply"]])
  func aHandlerIsNoPromise(words: [String]) async throws {
    let sample = try await ledger()
    let id = OnCallLedger.id(4)
    let run = try run("\(id)\n", ["cancel", sample.path, "-"] + words)
    #expect(run.output.contains("refused "), "\(run.output)")
    #expect(run.output.contains("\(id) is no promise. Give the id of a promise."))
    #expect(run.notes.hasSuffix("Refused: 1 of 1.\n") && run.status == 1, "\(run.notes)")
    await sample.close()
  }

  @Test func kindsHaveNoIDs() throws {
    let run = try CommandRun("work", "/nowhere", "--by-kind", "-o", "ids")
    #expect(run.notes.hasPrefix("Error: "), "\(run.notes)")
    #expect(run.output == "" && run.status == 2)
  }
}
