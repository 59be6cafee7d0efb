import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// What the tool does for people: its version, completion, a manual page, and ages of times.
@Suite(.timeLimit(.minutes(10)))
struct EyesTests {
  @Test func theVersionIsThatOfTheLibrary() throws {
    let run = try CommandRun("--version")
    #expect(run.output == "\(Ledger.libraryVersion)\n" && run.notes == "" && run.status == 0)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func aShellCompletes(shell: String) throws {
    let run = try CommandRun("completion", shell)
    #expect(run.notes == "" && run.status == 0)
    for word in ["promise-ledger", "overview", "explain", "diff", "cursor-file", "retrying"] {
      #expect(run.output.contains(word), "\(word)")
    }
    #expect(!run.output.contains("\\u{"))
    let path = ["/bin/\(shell)", "/usr/bin/\(shell)"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let path else {
      print("The script for \(shell) is not run: there is no such shell.")
      return
    }
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = directory.path + "/script"
    try run.output.write(toFile: file, atomically: true, encoding: .utf8)
    let check = try CommandRun(["-n", file], of: URL(fileURLWithPath: path))
    #expect(check.status == 0 && check.notes == "", "\(check.notes)")
    #expect(try CommandRun(intoClosedPipe: "completion", shell).status == 0)
  }

  @Test func bashOffersVerbsAndValues() throws {
    let script = """
      eval "$("$0" completion bash)"
      COMP_WORDS=(promise-ledger work x --state pa); COMP_CWORD=4
      COMP_LINE="promise-ledger work x --state pa"; COMP_POINT=${#COMP_LINE}
      _promise-ledger promise-ledger pa --state
      echo "${COMPREPLY[@]}"
      """
    let run = try CommandRun(
      ["-c", script, CommandRun.program.path], of: URL(fileURLWithPath: "/bin/bash"))
    #expect(run.output.contains("parked"), "\(run.notes)")
  }

  @Test func anUnknownShellIsAUsageError() throws {
    #expect(try CommandRun("completion", "csh").status == 2)
    #expect(try CommandRun("completion").status == 2)
  }

  @Test func theManualHasEveryVerb() throws {
    let run = try CommandRun("manual")
    #expect(run.output.hasPrefix(".TH PROMISE\\-LEDGER 1 \""))
    #expect(run.notes == "" && run.status == 0)
    let help = try CommandRun("--help").output
    let verbs = help.matches(of: /\n  ([a-z]+) (?:\(default\))? +[A-Z]/).map { String($0.1) }
    #expect(verbs.count > 25)
    for verb in verbs { #expect(run.output.contains("\n.SS \(verb)\n"), "\(verb)") }
    #expect(!run.output.contains("\n.SS help\n"))
    #expect(try CommandRun(intoClosedPipe: "manual").status == 0)
  }

  @Test(arguments: [
    ["groff", "-man", "-ww", "-z", "-Tutf8"], ["mandoc", "-Tlint", "-Wwarning"],
    ["man", "--warnings", "-l"],
  ])
  func theManualIsDrawnWithoutWarnings(words: [String]) throws {
    let program = "/usr/bin/\(words[0])"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      print("The manual is not drawn: there is no \(words[0]).")
      return
    }
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = directory.path + "/promise-ledger.1"
    try CommandRun("manual").output.write(toFile: file, atomically: true, encoding: .utf8)
    let run = try CommandRun(words.dropFirst() + [file], of: URL(fileURLWithPath: program))
    #expect(run.notes == "" && run.status == 0, "\(run.notes)")
    if words[0] == "mandoc" { #expect(run.output == "") }
  }

  #if os(Linux)
    /// Elsewhere than on a terminal, times are exact; on a narrow one, only their ages are left.
    @Test func timesHaveTheirAges() async throws {
      let sample = try await OnCallLedger(.closed) { try await $0.promise(1) }
      let wide = try CommandRun(atTerminalOfWidth: 200, "promises", sample.path)
      #expect(
        wide.output.contains(#/  2026-01-01T00:00:00Z \d+ d( \d+ h)? ago +type int/#),
        "\(wide.output)")
      let narrow = try CommandRun(atTerminalOfWidth: 80, "promises", sample.path)
      #expect(narrow.output.contains(#/  pending +\d+ d( \d+ h)? ago  +type/#))
      #expect(!narrow.output.contains("2026-"))
      let show = try CommandRun(atTerminalOfWidth: 200, "show", sample.path, "0e10")
      #expect(
        show.output.contains(
          #/created  +2026-01-01T00:00:00.000000Z \(\d+ d( \d+ h)? ago\) at position 3 by/#
        ),
        "\(show.output)")
      let plain = try CommandRun("promises", sample.path)
      #expect(plain.output.contains("  2026-01-01T00:00:00.000000Z  type int"))
      await sample.close()
    }
  #endif
}
