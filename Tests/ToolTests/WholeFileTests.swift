import Foundation
import PromiseLedgerTesting
import Testing

/// The commands `backup` and `salvage`.
@Suite(.timeLimit(.minutes(10)))
struct WholeFileTests {
  @Test func aBackupIsReportedAndVerifies() async throws {
    let sample = try await SampleLedger()
    let target = sample.path + ".backup"
    let run = try CommandRun("backup", sample.path, target)
    #expect(run.status == 0 && run.notes == "")
    let names = run.output.split(separator: "\n").map { line in
      line.prefix { $0 != " " || line.hasPrefix("log") && $0 == " " }
    }
    #expect(names.count == 7 && run.output.hasPrefix("backup      \(target)\n"), "\(run.output)")
    #expect(try CommandRun("verify", target).status == 0)
    let exports = try [sample.path, target].map { try CommandRun("export", $0).output }
    #expect(exports[0] == exports[1] && !exports[0].isEmpty)

    let again = try CommandRun("backup", sample.path, target)
    #expect(
      again.notes == """
        promise-ledger: alreadyExists: Something exists at \(target) already. Give a path where nothing exists; a backup never replaces anything.

        """)
    #expect(again.status == 2 && again.output == "")
    let inside = try CommandRun("backup", sample.path, sample.path + "/backup")
    #expect(
      inside.notes == """
        promise-ledger: invalidArgument: A backup cannot be made inside the ledger at \(sample.path). Give a path outside that directory.

        """)
    #expect(inside.status == 2 && inside.output == "")
  }

  @Test func aClosedPipeEndsABackupQuietly() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(intoClosedPipe: "backup", sample.path, sample.path + ".backup")
    #expect(run.status == 0 && run.notes == "")
    #expect(try CommandRun("verify", sample.path + ".backup").status == 0)
  }

  @Test func aSalvageListsWhatWasLost() async throws {
    let sample = try await SampleLedger()
    let target = sample.path + ".saved"
    let whole = try CommandRun("salvage", sample.path, target)
    #expect(whole.status == 0 && whole.notes == "promise-ledger: Nothing was lost.\n")
    let exports = try [sample.path, target].map { try CommandRun("export", $0).output }
    #expect(exports[0] == exports[1] && !exports[0].isEmpty)

    let file = URL(fileURLWithPath: sample.path + "/generation-000001/data.mdb")
    var bytes = try Data(contentsOf: file)
    for index in bytes.indices { bytes[index] = 0 }
    try bytes.write(to: file)
    let nothing = try CommandRun("salvage", sample.path, target + "-2", "--format", "json")
    #expect(
      nothing.notes
        == "promise-ledger: No ledger could be made. Restore the ledger from a backup or an archive.\n"
    )
    #expect(nothing.status == 5 && nothing.output.contains("\"salvaged\":false"))
    #expect(!FileManager.default.fileExists(atPath: target + "-2"))
  }

  @Test func noImportTakesAFileOfLooseEvents() async throws {
    let target = try TemporaryLedger()
    let path = target.path + ".loose"
    try #"{"type":"header","format":"promise-ledger-excerpt","version":1}"#.appending("\n")
      .write(toFile: path, atomically: true, encoding: .utf8)
    let run = try CommandRun("import", target.path, path)
    #expect(
      run.notes == """
        promise-ledger: corrupt: Line 1 of the archive is damaged: it says that this is an excerpt, of which no ledger can be made. Nothing was imported.

        """)
    #expect(run.status == 5)
  }
}
