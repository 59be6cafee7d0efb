import Foundation
import PromiseLedgerTesting
import Testing

/// The messages of `import` about archives and places that it cannot take.
@Suite(.timeLimit(.minutes(10)))
struct ImportTests {
  @Test func oneDamagedArchiveOfSeveralIsNamed() async throws {
    let sample = try await SampleLedger()
    let target = try TemporaryLedger()
    let (whole, cut, none) = (target.path + ".1", target.path + ".2", target.path + ".3")
    let export = try CommandRun("export", sample.path).output
    for (path, text) in [
      (whole, export), (cut, export.split(separator: "\n")[..<4].joined(separator: "\n") + "\n"),
      (none, ""),
    ] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let ended =
      "Line 5 of the archive is damaged: the archive ends before it, without its last line. Nothing was imported.\n"
    let empty =
      "Line 1 of the archive is damaged: the archive is empty. Nothing was imported.\n"
    for (archives, notes) in [
      ([whole, cut], "In \(cut): \(ended)"), ([cut, whole], "In \(cut): \(ended)"),
      ([whole, none], "In \(none): \(empty)"), ([none, whole], "In \(none): \(empty)"),
      ([cut], ended), ([none], empty),
    ] {
      let run = try CommandRun(["import", target.path] + archives)
      #expect(run.notes == "promise-ledger: corrupt: \(notes)")
      #expect(run.status == 5 && run.output == "")
    }
  }

  @Test func aFileIsNotWrittenOver() throws {
    let target = try TemporaryLedger()
    try "mine".write(toFile: target.path, atomically: true, encoding: .utf8)
    let run = try CommandRun("import", target.path, "/dev/null")
    #expect(
      run.notes == """
        promise-ledger: alreadyExists: Something exists at \(target.path) already. Give a path where nothing exists; an import never overwrites anything.

        """)
    #expect(run.status == 2)
    #expect(try String(contentsOfFile: target.path, encoding: .utf8) == "mine")
    #expect(
      try CommandRun("log", target.path).notes == """
        promise-ledger: notALedger: \(target.path) is not a ledger: it is not a directory. Give the path of a ledger.

        """)
  }
}
