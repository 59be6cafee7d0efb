#if os(Linux)
  import Foundation
  import Glibc
  import LedgerSystem
  import Testing

  /// Every verb that the tool names, on the same ledger: what it prints for a program and on terminals, its exit
  /// code, and how it ends when its output is closed and when it is interrupted.
  @Suite(.timeLimit(.minutes(10)))
  struct VerbTranscriptTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Transcripts")

    @Test func everyVerbHasAnExample() throws {
      let help = try CommandRun("--help").output
      let verbs = help.matches(of: /\n  ([a-z]+) (?:\(default\))? +[A-Z]/).map { String($0.1) }
      #expect(verbs.count > 30)
      #expect(Set(verbs) == Set(VerbExample.all.map(\.verb)))
      let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
      #expect(Set(files) == Set(verbs.map { "\($0).txt" }))
    }

    /// To take over what has changed on purpose, set `LEDGER_WRITE_TRANSCRIPTS`, and look at the difference.
    @Test(arguments: VerbExample.all)
    func theTranscriptIsExact(example: VerbExample) throws {
      let runs = try VerbRuns(of: example)
      let piped = try runs.piped()
      let transcript = try Self.transcript(of: example, runs, piped)
      let file = Self.directory.appending(path: "\(example.verb).txt")
      let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      #expect(transcript == recorded)
      if ProcessInfo.processInfo.environment["LEDGER_WRITE_TRANSCRIPTS"] != nil {
        try transcript.write(to: file, atomically: true, encoding: .utf8)
      }
      try expectNoFailure(ofClosedPipe: runs, piped)
    }

    private static func transcript(
      of example: VerbExample, _ runs: VerbRuns, _ piped: VerbRuns.Run
    ) throws -> String {
      var text = "$ promise-ledger \(example.testDescription)\n"
      text += example.shown(piped.output)
      if !piped.notes.isEmpty { text += "[notes]\n\(piped.notes)" }
      text += "[exit code \(piped.status)]\n"
      // One terminal shows colours, which add nothing, and the other one none.
      for (width, isStyled) in [(60, false), (200, true)] {
        let run = try runs.atTerminal(ofWidth: width, isStyled: isStyled)
        #expect(run.notes == piped.notes && run.status == piped.status, "\(width) columns")
        let output = isStyled ? run.output.replacing(/\u{1B}\[\d*m/, with: "") : run.output
        #expect(!output.contains("\u{1B}"), "\(width) columns")
        guard output != piped.output else {
          text += "[on \(width) columns: the same]\n"
          continue
        }
        text += "[on \(width) columns]\n\(example.shown(output))"
      }
      return text
    }

    /// The command ends as if all had been printed: nothing is wrong with it.
    private func expectNoFailure(ofClosedPipe runs: VerbRuns, _ piped: VerbRuns.Run) throws {
      let unread = try runs.unread()
      if piped.output.isEmpty {
        #expect(unread.notes == piped.notes && unread.status == piped.status)
      } else {
        #expect(unread.notes == "" && unread.status == 0)
      }
    }

    @Test(arguments: VerbExample.all)
    func anInterruptedCommandEndsByTheSignal(example: VerbExample) throws {
      let run = try VerbRuns(of: example).interrupted()
      #expect(run.ending == .signalled(SIGINT))
      #expect(run.output == "" && run.notes == "")
    }
  }

  extension VerbExample {
    /// The output, or the beginning of one that is made of the texts of all verbs.
    fileprivate func shown(_ output: String) -> String {
      // A library writes the completion, each version of it in its own words.
      let counts = ["manual": 3, "completion": 1, "export": 3]
      guard let count = counts[verb] else { return output }
      let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.prefix(count).joined(separator: "\n") + "\n(more)\n"
    }
  }
#endif
