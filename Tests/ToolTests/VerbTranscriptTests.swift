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
      let transcript = try Self.transcript(of: example)
      let file = Self.directory.appending(path: "\(example.verb).txt")
      let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      #expect(transcript == recorded)
      if ProcessInfo.processInfo.environment["LEDGER_WRITE_TRANSCRIPTS"] != nil {
        try transcript.write(to: file, atomically: true, encoding: .utf8)
      }
    }

    private static func transcript(of example: VerbExample) throws -> String {
      let piped = try example.piped()
      var text = "$ promise-ledger \(example.testDescription)\n"
      text += example.shown(piped.output)
      if !piped.notes.isEmpty { text += "[notes]\n\(piped.notes)" }
      text += "[exit code \(piped.status)]\n"
      for width in [60, 200] {
        let run = try example.atTerminal(ofWidth: width)
        #expect(run.notes == piped.notes && run.status == piped.status, "\(width) columns")
        #expect(!run.output.contains("\u{1B}"))
        guard run.output != piped.output else {
          text += "[on \(width) columns: the same]\n"
          continue
        }
        text += "[on \(width) columns]\n\(example.shown(run.output))"
      }
      return text
    }

    @Test(arguments: VerbExample.all)
    func coloursAddNothing(example: VerbExample) throws {
      let coloured = try example.atTerminal(ofWidth: 200, isStyled: true)
      let plain = try example.atTerminal(ofWidth: 200)
      #expect(coloured.output.replacing(/\u{1B}\[\d*m/, with: "") == plain.output)
      #expect(coloured.status == plain.status)
    }

    /// The command ends as if all had been printed: nothing is wrong with it.
    @Test(arguments: VerbExample.all)
    func aClosedPipeIsNoFailure(example: VerbExample) throws {
      let unread = try example.unread()
      let piped = try example.piped()
      if piped.output.isEmpty {
        #expect(unread.notes == piped.notes && unread.status == piped.status)
      } else {
        #expect(unread.notes == "" && unread.status == 0)
      }
    }

    @Test(arguments: VerbExample.all)
    func anInterruptedCommandEndsByTheSignal(example: VerbExample) throws {
      let run = try example.interrupted()
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
