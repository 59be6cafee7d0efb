#if os(Linux)
  import Foundation
  import LedgerTestSupport
  import PromiseLedgerTesting
  import Testing

  /// Each verb prints the same about a ledger on a server as about one with the same events in a directory.
  @Suite(
    .enabled(if: ServerRuns.isAvailable, "PostgreSQL 14 or newer is missing"),
    .timeLimit(.minutes(10)))
  struct SameVerbsTests {
    /// What the verbs of both tools print is about files or tables, or comes from the parser.
    private static let different: Set = [
      "backup", "salvage", "serve", "stats", "completion", "manual",
    ]

    private static let examples = VerbExample.all.filter { !different.contains($0.verb) }

    /// A directory with a ledger of each kind, whose equal of the same name is on the server.
    private struct Both {
      let original: TranscriptLedger
      let runs: ServerRuns
      let name = "ledger \(UUID().uuidString)"

      init() throws {
        original = try TranscriptLedger()
        runs = try ServerRuns.shared.get()
        try FileManager.default.moveItem(
          atPath: original.directory + "/ledger", toPath: original.directory + "/" + name)
        try runs.copy(original.directory + "/" + name, to: name)
      }

      func run(
        _ words: [String], input: String = "", onServer isOnServer: Bool
      ) throws -> (output: String, notes: String, status: Int32) {
        let names = ["ledger": name, "copy": "copy of \(name)"]
        let words = words.map { names[$0] ?? $0 }
        let directory = original.directory
        try input.write(toFile: directory + "/input", atomically: true, encoding: .utf8)
        let commands = "cd '\(directory)'; exec <input"
        let run =
          try isOnServer
          ? runs.run(words, after: commands) : CommandRun(after: commands, words)
        let tool = "promise-ledger-postgresql"
        return (
          run.output.withoutVolatileParts.replacing(tool, with: "promise-ledger"),
          run.notes.withoutVolatileParts.replacing(tool, with: "promise-ledger"), run.status
        )
      }
    }

    @Test(arguments: examples)
    func aVerbPrintsTheSame(example: VerbExample) throws {
      let both = try Both()
      func run(onServer isOnServer: Bool) throws -> (output: String, notes: String, status: Int32) {
        if let preparation = example.preparation {
          #expect(try both.run(preparation, onServer: isOnServer).status == 0)
        }
        return try both.run(
          [example.verb] + example.arguments, input: example.input, onServer: isOnServer)
      }
      let file = both.original.directory + "/page.html"
      let inDirectory = try run(onServer: false)
      let names = ["page.html", "recording"].map { both.original.directory + "/" + $0 }
      for name in names where FileManager.default.fileExists(atPath: name) {
        try FileManager.default.removeItem(atPath: name)
      }
      let onServer = try run(onServer: true)
      #expect(onServer.output == inDirectory.output)
      #expect(onServer.notes == inDirectory.notes)
      #expect(onServer.status == inDirectory.status)
      #expect(FileManager.default.fileExists(atPath: file) == (example.verb == "report"))
    }

    @Test func statisticsAreTheSameButForTheSpace() throws {
      let both = try Both()
      func facts(onServer isOnServer: Bool) throws -> [Substring] {
        let lines = try both.run(["stats", "ledger"], onServer: isOnServer).output
          .split(separator: "\n")
        return lines.prefix { !$0.hasPrefix("file bytes") && !$0.hasPrefix("used bytes") }
      }
      let onServer = try facts(onServer: true)
      #expect(onServer.count > 30)
      #expect(try facts(onServer: false) == onServer)
    }

    @Test func anArchiveComesBackByteForByte() throws {
      let both = try Both()
      let archive = try both.run(["export", "ledger"], onServer: true).output
      #expect(archive.utf8.count > 1_000)
      let file = both.original.directory + "/archive.jsonl"
      try archive.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try CommandRun("import", file + ".ledger", file).status == 0)
      #expect(try CommandRun("export", file + ".ledger").output == archive)
      let again = try both.runs.run("import", both.name, file)
      #expect(again.status == 2)
      #expect(again.notes.contains("alreadyExists"))
      let difference = try both.runs.run("diff", both.name, file)
      #expect(difference.output == "" && difference.status == 0)
    }
  }
#endif
