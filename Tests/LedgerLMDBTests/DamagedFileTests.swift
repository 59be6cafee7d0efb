import LedgerLMDB
import LedgerTestSupport
import Testing

/// The content of a file must never crash the process or silently bring back an older state.
@Suite(.timeLimit(.minutes(10))) struct DamagedFileTests {
  let scratch: ScratchDirectory
  let whole: [UInt8]
  static let keys = (1...60).map { UInt64($0) }

  init() throws {
    scratch = try ScratchDirectory()
    let environment = try scratch.open(Configuration(durability: .full))
    let value = [UInt8](repeating: 3, count: 900)
    // Several commits, so that pages were freed and reused and both metas are in use.
    for key in Self.keys { try environment.store(value, key, append: true) }
    try environment.close()
    whole = try scratch.readDataFile()
  }

  private func openError(_ bytes: [UInt8]) throws -> LMDBError? {
    try scratch.writeDataFile(bytes)
    return lmdbError { try scratch.open(Configuration(durability: .full)).close() }
  }

  @Test func theWholeFileOpens() throws {
    #expect(try openError(whole) == nil)
  }

  @Test func aTruncatedFileIsRefusedWithBothSizes() throws {
    let cut = whole.count / 2
    let error = try openError(Array(whole.prefix(cut)))
    #expect(
      error?.refusal == .truncatedFile(expected: UInt64(whole.count), actual: UInt64(cut)))
  }

  /// As beside a writer that commits faster than the free list can be read.
  @Test func aFindingWhileTheMetasMoveIsNoDamage() throws {
    let faults = FaultInjector()
    for number in 1..<40 {
      var bytes = Array(whole.prefix(whole.count / 2))
      // The number of the transaction in both metas.
      for offset in [144, 4096 + 144] { bytes[offset] &+= UInt8(2 * number) }
      faults.observe(.checkFile, call: number) { [scratch, bytes] in
        try? scratch.writeDataFile(bytes)
      }
    }
    faults.observe(.checkFile, call: 40) { [scratch, whole] in try? scratch.writeDataFile(whole) }
    try scratch.open(Configuration(durability: .full, faults: faults)).close()
    #expect(faults.count(of: .checkFile) == 40)
  }

  @Test func aFindingThatStaysIsFoundThreeTimes() throws {
    try scratch.writeDataFile(Array(whole.prefix(whole.count / 2)))
    let faults = FaultInjector()
    let error = lmdbError {
      try scratch.open(Configuration(durability: .full, faults: faults)).close()
    }
    #expect(error?.status == .refused)
    #expect(faults.count(of: .checkFile) == 3)
  }

  @Test func aFileThatLacksOnlyFreePagesOpens() throws {
    let other = try ScratchDirectory()
    let environment = try other.open(Configuration(durability: .full))
    let value = [UInt8](repeating: 1, count: 20_000)
    // In the second round some pages are free already, and LMDB takes back at once the pages of its
    // own that a transaction frees. The third round needs more pages than the file has.
    for entries in [50, 50, 200] {
      try environment.write { transaction in
        for key in 1...entries {
          try transaction.put(value.span, forKey: UInt64(key), in: environment.log)
        }
        for key in 1...entries {
          try transaction.delete(forKey: UInt64(key), in: environment.log)
        }
      }
    }
    try environment.store([7], 7)
    let expected = try environment.info().highWaterBytes
    try environment.close()
    try #require(try other.readDataFile().count < expected, "the case did not arise")
    let reopened = try other.open(Configuration(durability: .full))
    #expect(try reopened.load(7) == [7])
    try reopened.store(value, 8)
    #expect(try reopened.load(8) == value)
  }

  @Test(arguments: [0, 1, 151, 152, 4096, 4247]) func afterAFewBytesAFileIsRefused(size: Int) throws
  {
    #expect(try openError(Array(whole.prefix(size)))?.status == .refused)
  }

  @Test func anotherMagicNumberIsRefused() throws {
    var bytes = whole
    bytes[16] ^= 0xFF
    #expect(try openError(bytes)?.refusal == .notAnLMDBFile)
  }

  @Test func anotherFormatVersionIsRefused() throws {
    var bytes = whole
    (bytes[20], bytes[4096 + 20]) = (2, 2)
    #expect(try openError(bytes)?.refusal == .unsupportedFormatVersion(2))
  }

  /// The page size is damaged, too, so that the other meta page is not found.
  @Test func aFormatVersionThatThereNeverIsIsDamage() throws {
    var bytes = whole
    bytes[22] = 16
    bytes[43] = 4
    #expect(
      try openError(bytes)?.refusal == .implausibleMeta(page: 0, what: "its version is 1048577"))
  }

  @Test(arguments: [0, 1]) func anotherFormatVersionInOneMetaPageIsDamage(page: Int) throws {
    var bytes = whole
    bytes[page * 4096 + 20] = 2
    #expect(
      try openError(bytes)?.refusal == .implausibleMeta(page: page, what: "its version is 2"))
  }

  @Test(arguments: [0, 100, 4097, 65_536]) func anImpossiblePageSizeIsRefused(size: UInt32) throws {
    var bytes = whole
    for index in 0..<4 { bytes[40 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
    #expect(try openError(bytes)?.refusal == .unsupportedPageSize(size))
  }

  @Test func aTextFileIsRefused() throws {
    let text = Array(String(repeating: "not a database\n", count: 1000).utf8)
    #expect(try openError(text)?.refusal == .notAnLMDBFile)
  }

  /// Every bit of the page header and the meta structure of both pages.
  @Test(arguments: [0, 4096])
  func aFlippedBitInAMetaPageIsAnErrorOrChangesNothing(page: Int) throws {
    var refused = 0
    for bit in 0..<(152 * 8) {
      var bytes = whole
      bytes[page + bit / 8] ^= 1 << UInt8(bit % 8)
      try scratch.writeDataFile(bytes)
      do {
        let environment = try scratch.open(Configuration(durability: .full))
        #expect(try environment.keys() == Self.keys, "bit \(bit % 8) of byte \(bit / 8)")
        try environment.close()
      } catch is LMDBError {
        refused += 1
      }
      #expect(openDescriptors(of: scratch.path).isEmpty, "bit \(bit % 8) of byte \(bit / 8)")
    }
    // No bit that decides what is read may go unnoticed.
    #expect(refused > 500)
  }
}
