import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Every defect of an archive causes a clear error that names the line, and no ledger is made.
@Suite(.timeLimit(.minutes(10)))
struct DamagedArchiveTests {
  /// The archive of the sample, and its lines with their line feeds.
  private static let archive = Result {
    let ledger = try CraftedLedger.sample()
    return try BlockingInspector(at: ledger.path).archive()
  }

  private static func lines() throws -> [[UInt8]] {
    try archive.get().split(separator: UInt8(ascii: "\n")).map { Array($0) + [10] }
  }

  /// Imports, and requires that the import fails and leaves nothing.
  private func failure(
    of bytes: [UInt8], maximumLine: Int = 64 << 20,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> LedgerError? {
    let file = try ArchiveFile(bytes)
    var importer = LedgerImport()
    importer.maximumLineSizeInBytes = maximumLine
    let error = #expect(throws: LedgerError.self, sourceLocation: sourceLocation) {
      try importer.makeLedger(at: file.target, from: file.path)
    }
    #expect(try file.neighbours() == [], sourceLocation: sourceLocation)
    return error
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func bitFlipIsFound(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = try Self.archive.get()
    let place = Int.random(in: bytes.indices, using: &generator)
    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    let error = try failure(of: bytes)
    let codes: [LedgerError.Code] = [.corrupt, .incompatibleFormat, .invalidArgument]
    #expect(codes.contains(try #require(error).code))
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func truncationIsFound(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bytes = try Self.archive.get()
    let length = Int.random(in: 0..<bytes.count, using: &generator)
    let error = try failure(of: Array(bytes.prefix(length)))
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("Line ") == true)
  }

  @Test func missingRepeatedAndSwappedLinesAreFound() throws {
    let lines = try Self.lines()
    for index in [0, 1, 5, 110, 111] {
      var fewer = lines
      fewer.remove(at: index)
      #expect(try failure(of: Array(fewer.joined()))?.code == .corrupt, "without \(index)")
      var more = lines
      more.insert(lines[index], at: index)
      #expect(try failure(of: Array(more.joined()))?.code == .corrupt, "twice \(index)")
      guard index > 0 else { continue }
      var swapped = lines
      swapped.swapAt(index, index - 1)
      let error = try failure(of: Array(swapped.joined()))
      #expect(error?.message.hasPrefix("Line \(index) of the archive") == true, "swapped \(index)")
    }
  }

  @Test func otherEventWithAGoodHashHasAWrongDigest() throws {
    let lines = try Self.lines()
    let end = String(decoding: try #require(lines.last), as: UTF8.self)
    let wrong = end.replacing("\"logDigest\":\"", with: "\"logDigest\":\"00").replacing(
      /(logDigest":"00.{62})../, with: { $0.1 })
    let error = try failure(of: Array((lines.dropLast() + [Array(wrong.utf8)]).joined()))
    #expect(error?.message.contains("its log digest does not match the events") == true)
    #expect(error?.message.hasPrefix("Line 112 of the archive is damaged") == true)
  }

  @Test func otherSpellingIsFound() throws {
    let text = String(decoding: try Self.archive.get(), as: UTF8.self)
    for (from, to) in [
      ("\"version\":1,\"fl", "\"version\":01,\"fl"), ("{\"type\":\"ev", "{ \"type\":\"ev"),
    ] {
      let error = try failure(of: Array(text.replacing(from, with: to, maxReplacements: 1).utf8))
      #expect(error?.message.hasPrefix("Line 2 of the archive is damaged") == true)
    }
  }

  @Test func lineOverTheLimitIsRefused() throws {
    let error = try failure(of: try Self.archive.get(), maximumLine: 9_000)
    #expect(error?.code == .payloadTooLarge)
    #expect(error?.message.hasPrefix("Line 8 of the archive is too large") == true)
  }

  @Test func newerArchivesAreNamedSo() throws {
    let text = String(decoding: try Self.archive.get(), as: UTF8.self)
    for (from, to, line) in [
      ("\"version\":1,", "\"version\":2,", 1), ("\"type\":\"event\"", "\"type\":\"chapter\"", 2),
    ] {
      let error = try failure(of: Array(text.replacing(from, with: to, maxReplacements: 1).utf8))
      #expect(error?.code == .incompatibleFormat)
      #expect(
        error?.message.hasPrefix("Line \(line) of the archive was written by a newer") == true)
    }
  }

  /// It was not written by any build, and would be exported with another version.
  @Test func versionZeroIsRefused() throws {
    let text = String(decoding: try Self.archive.get(), as: UTF8.self)
    let zero = text.replacing("\"version\":1,", with: "\"version\":0,", maxReplacements: 1)
    let error = try failure(of: Array(zero.utf8))
    #expect(error?.code == .corrupt)
    // The digest no longer matches either, so the code alone proves nothing.
    #expect(error?.message.hasPrefix("Line 1 of the archive is damaged") == true)
  }

  @Test func archiveThatBeginsLaterMakesNoLedger() throws {
    let text = String(decoding: try Self.archive.get(), as: UTF8.self)
    let later = text.replacing("\"basePosition\":0", with: "\"basePosition\":9")
      .replacing(
        "{\"type\":\"event\",\"position\":1,", with: "{\"type\":\"event\",\"position\":10,")
    #expect(try failure(of: Array(later.utf8))?.code == .invalidArgument)
  }

  @Test func nothingIsWrittenOver() throws {
    let file = try ArchiveFile(try Self.archive.get())
    try LedgerImport().makeLedger(at: file.target, from: file.path)
    let before = try BlockingInspector(at: file.target).head
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: file.target, from: file.path)
    }
    #expect(error?.code == .alreadyExists)
    #expect(try BlockingInspector(at: file.target).head == before)
  }

  @Test func missingArchiveIsNotFound() throws {
    let temporary = try TemporaryLedger()
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: temporary.path, from: temporary.path + ".jsonl")
    }
    #expect(error?.code == .notFound)
  }
}
