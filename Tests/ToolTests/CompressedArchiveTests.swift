import Foundation
import LedgerSystem
import PromiseLedgerTesting
import Testing

/// Archives in files, compressed and not.
@Suite(.timeLimit(.minutes(10)))
struct CompressedArchiveTests {
  private let directory: TemporaryDirectory
  private let sample: SampleLedger

  init() async throws {
    directory = try TemporaryDirectory()
    sample = try await SampleLedger()
  }

  private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// A compressed export of the sample.
  private func compressed() throws -> Data {
    let run = try CommandRun("export", sample.path, "-o", path("whole.gz"))
    #expect(run.output == "" && run.notes == "" && run.status == 0)
    return try bytes(path("whole.gz"))
  }

  private func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  private static func shell(_ command: String, _ arguments: String...) throws -> CommandRun {
    try CommandRun(
      ["-c", command, CommandRun.program.path] + arguments, of: URL(fileURLWithPath: "/bin/sh"))
  }

  @Test func gunzipMakesThePlainArchiveOfIt() throws {
    let plain = try CommandRun("export", sample.path).output
    let file = try compressed()
    #expect(try Self.shell("gunzip -c \"$1\"", path("whole.gz")).output == plain)
    #expect(file.count * 2 < plain.utf8.count)
    let piped = try Self.shell("\"$0\" export --gzip \"$1\" | gunzip -c", sample.path)
    #expect(piped.output == plain && piped.notes == "")
    let named = try CommandRun("export", sample.path, "--gzip", "-o", path("archive"))
    #expect(try named.status == 0 && bytes(path("archive")) == file, "the same bytes each time")
    let unnamed = try CommandRun("export", sample.path, "-o", path("plain"))
    #expect(try unnamed.status == 0 && bytes(path("plain")) == Data(plain.utf8))
    #expect(try names() == ["archive", "plain", "whole.gz"])
  }

  @Test func everyVerbThatReadsArchivesReadsIt() throws {
    let plain = try CommandRun("export", sample.path).output
    _ = try compressed()
    let file = try write(bytes(path("whole.gz")), to: "without-a-name")
    let imported = try CommandRun("import", path("ledger"), file)
    #expect(imported.status == 0 && imported.notes == "")
    #expect(try CommandRun("export", path("ledger")).output == plain)
    // A pipe may deliver the first two bytes one by one.
    let piped = try Self.shell(
      "{ head -c 1 \"$1\"; tail -c +2 \"$1\"; } | \"$0\" import \"$2\" -", file,
      path("piped"))
    #expect(piped.status == 0 && piped.notes == "")
    #expect(try CommandRun("export", path("piped")).output == plain)
    let difference = try CommandRun("diff", sample.path, file)
    #expect(difference.status == 0 && difference.notes == "")
    #expect(try CommandRun("replay", file).status == 0)
  }

  @Test func damagedFilesMakeNothing() throws {
    let whole = try compressed()
    let damaged =
      "promise-ledger: corrupt: The archive is damaged: its gzip data or checksum is wrong. Nothing was imported. Use another copy.\n"
    let short =
      "promise-ledger: corrupt: The archive is damaged: its gzip data ends too early. Nothing was imported. Use another copy.\n"
    let longer =
      "promise-ledger: corrupt: The archive is damaged: something follows its gzip data. Nothing was imported. Use another copy.\n"
    var checksum = whole
    checksum[whole.count - 5] ^= 1
    var header = whole
    header[2] = 7
    let cases: [(Data, String)] = [
      (whole.prefix(2), short), (whole.prefix(whole.count / 2), short), (whole.dropLast(), short),
      (checksum, damaged), (header, damaged), (whole + Data([0]), longer),
      (whole + Data("{}\n".utf8), longer), (whole + whole.prefix(4), short),
    ]
    for (number, (file, notes)) in cases.enumerated() {
      let archive = try write(file, to: "\(number).gz")
      let run = try CommandRun("import", path("ledger"), archive)
      #expect(run.notes == notes && run.status == 5 && run.output == "", "case \(number)")
      #expect(!FileManager.default.fileExists(atPath: path("ledger")))
      #expect(try CommandRun("diff", sample.path, archive).status == 5)
      #expect(try CommandRun("replay", archive).status == 5)
    }
    let two = try CommandRun("import", path("ledger"), path("whole.gz"), path("3.gz"))
    #expect(two.notes.hasPrefix("promise-ledger: corrupt: In \(path("3.gz")): The archive"))
    // A second copy that is whole is a second header.
    let twice = try write(whole + whole, to: "twice.gz")
    let run = try CommandRun("import", path("ledger"), twice)
    #expect(run.notes.contains("damaged") && run.status == 5)
  }

  /// Files that expand to four gigabytes of one line, of empty lines, or of valid beginnings: more than the
  /// process may have.
  @Test(arguments: ["\\0", "\\n", "{"]) func aBombIsRefusedEarly(character: String) throws {
    let bomb = path("bomb.gz")
    let made = try Self.shell(
      """
      head -c 100000000 /dev/zero | tr '\\0' '\(character)' | gzip -1 >"$1.part"
      for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$1.part" "$1.part" "$1.part" "$1.part"; done >"$1"
      rm "$1.part"
      """, bomb)
    #expect(made.status == 0)
    let run = try CommandRun(
      after: "ulimit -v 3000000", ["import", "--maximum-line-size", "1000000", path("l"), bomb])
    #expect(
      run.notes.hasPrefix("promise-ledger: payloadTooLarge: Line 1 of the archive")
        || run.notes.hasPrefix("promise-ledger: corrupt: Line 1 of the archive"), "\(run.notes)")
    #expect(run.status == (character == "\\n" ? 5 : 2))
    #expect(try names() == ["bomb.gz"])
  }

  /// A device that a file had replaced would be missing for all programs.
  @Test(arguments: ["export", "report"])
  func onlyAFileIsReplaced(verb: String) throws {
    let pipe = path("pipe")
    #expect(try Self.shell("mkfifo \"$1\"", pipe).status == 0)
    let run = try CommandRun(verb, sample.path, "--force", "-o", pipe)
    #expect(run.notes.hasPrefix("promise-ledger: \(pipe) is not a regular file"), "\(run.notes)")
    #expect(run.status == 2 && run.output == "")
    #expect(try Self.shell("test -p \"$1\"", pipe).status == 0)
    #expect(try names() == ["pipe"])
  }

  @Test func nothingIsReplacedUnlessForced() throws {
    let mine = try write(Data("mine".utf8), to: "mine.gz")
    let refused = try CommandRun("export", sample.path, "-o", mine)
    #expect(
      refused.notes
        == "promise-ledger: The file \(mine) exists. Give another name, or --force to replace it.\n"
    )
    #expect(try refused.status == 2 && bytes(mine) == Data("mine".utf8))
    #expect(try CommandRun("export", sample.path, "--force", "-o", mine).status == 0)
    let archive = try compressed()
    #expect(try bytes(mine) == archive)
    _ = try write(Data("mine".utf8), to: "target.gz")
    try FileManager.default.createSymbolicLink(
      atPath: path("link.gz"), withDestinationPath: "target.gz")
    #expect(try CommandRun("export", sample.path, "--force", "-o", path("link.gz")).status == 0)
    #expect(FileSystem.isSymbolicLink(path("link.gz")))
    #expect(try bytes(path("target.gz")) == archive)
    try FileManager.default.createSymbolicLink(
      atPath: path("link"), withDestinationPath: sample.path)
    try FileManager.default.createSymbolicLink(
      atPath: path("data"), withDestinationPath: sample.path + "/generation-000001/data.mdb")
    let places = [sample.path, sample.path + "/generation-000001", path("link")].map {
      $0 + "/a.gz"
    }
    for place in places + [path("data")] {
      let inside = try CommandRun("export", sample.path, "--force", "-o", place)
      #expect(
        inside.notes
          == "promise-ledger: Nothing can be written into the ledger at \(sample.path). Give a path outside that directory.\n"
      )
      #expect(inside.status == 2)
    }
    let nowhere = try CommandRun("export", sample.path, "-o", path("none/a.gz"))
    #expect(
      nowhere.notes.hasPrefix("promise-ledger: The file \(path("none/a.gz")) cannot be written."))
    #expect(nowhere.status == 74)
  }

  @Test func noCompressedDataGoesToATerminal() throws {
    let refused = try CommandRun(atTerminalOfWidth: 80, "export", sample.path, "--gzip")
    #expect(
      refused.output.contains(
        "Compressed data is not for a terminal. Give a file with --output, or leave out --gzip."))
    #expect(refused.status == 2)
  }

  @Test func aFullDiskAndAClosedPipeLeaveNothing() throws {
    let full = try CommandRun(
      after: "trap '' XFSZ; ulimit -f 0", ["export", sample.path, "-o", path("a.gz")])
    #expect(full.notes.hasPrefix("promise-ledger: The file \(path("a.gz")) cannot be written."))
    #expect(try full.status == 74 && names() == [])
    let pipe = try CommandRun(intoClosedPipe: "export", sample.path, "--gzip")
    #expect(pipe.status == 0 && pipe.notes == "")
  }
}
