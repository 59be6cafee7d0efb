import Foundation
import LedgerSystem
import LedgerTestSupport
import Testing

@testable import LedgerLMDB

/// Files that are extended ahead of the pages that LMDB writes.
@Suite(.timeLimit(.minutes(5))) struct FileGrowthTests {
  private let scratch: ScratchDirectory
  private let growth = FileGrowth(largestStep: 1 << 20, sizeLimit: 1 << 30)

  init() throws { scratch = try ScratchDirectory() }

  // MARK: The size

  @Test(
    arguments: [
      // A small commit takes the smallest step behind its own needs.
      (byteCount: 200, used: 40_960, size: 40_960, expected: 40_960 + 65_536 + 65_536),
      // It fits before the end of the file.
      (200, 40_960, 200_000, nil),
      // A larger commit takes a step of 64 times its size.
      (4_096, 40_960, 40_960, 40_960 + 4_096 + 65_536 + 262_144),
      // No step is larger than the limit.
      (409_600, 40_960, 40_960, 40_960 + 409_600 + 65_536 + 1_048_576),
      // The file is shorter than its pages: the last ones are free, and were never written.
      (200, 409_600, 40_960, 409_600 + 65_536 + 65_536),
      // The step would pass the maximum size.
      (200, (1 << 30) - 126_976, (1 << 30) - 126_976, nil),
      (200, (1 << 30) - 131_072, (1 << 30) - 131_072, 1 << 30),
    ] as [(byteCount: Int, used: Int, size: Int, expected: Int?)])
  func aStepFollowsTheSizeOfTheCommit(_ row: (byteCount: Int, used: Int, size: Int, expected: Int?))
  {
    let size = growth.newSize(
      for: row.byteCount, used: row.used, size: row.size, pageSize: 4_096)
    #expect(size == row.expected)
  }

  @Test func aStepOfNothingExtendsNothing() {
    let none = FileGrowth(largestStep: 0, sizeLimit: 1 << 30)
    #expect(none.newSize(for: 200, used: 40_960, size: 40_960, pageSize: 4_096) == nil)
  }

  // MARK: The file

  private func open(_ faults: FaultInjector? = nil) throws -> Environment {
    try scratch.open(Configuration(durability: .full, faults: faults))
  }

  private var size: Int {
    get throws { try FileSystem.fileSize(scratch.dataFile) }
  }

  /// Commits values from a number on, and extends the file for each.
  private func store(
    _ numbers: Range<UInt64>, byteCount: Int = 900, in environment: Environment,
    _ growth: FileGrowth? = nil
  ) throws {
    for number in numbers {
      try environment.write { transaction in
        environment.extendFile(growth ?? self.growth, for: byteCount, in: transaction)
        let value = Self.value(number, byteCount)
        try transaction.put(value.span, forKey: number, in: environment.log, append: true)
      }
    }
  }

  private static func value(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number | 1), count: byteCount)
  }

  private func expectValues(
    _ numbers: Range<UInt64>, byteCount: Int = 900, in environment: Environment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for number in numbers {
      let value = try environment.load(number)
      #expect(value == Self.value(number, byteCount), "\(number)", sourceLocation: sourceLocation)
    }
  }

  /// Many steps are taken, each behind everything written, and a check of every page finds all whole.
  @Test func zerosOverwriteNothing() throws {
    var sizes: Set<Int> = []
    let environment = try open()
    for number in UInt64(0)..<400 {
      try store(number..<number + 1, in: environment)
      try expectValues(number..<number + 1, in: environment)
      sizes.insert(try size)
    }
    #expect(sizes.count >= 4, "\(sizes.sorted())")
    try expectValues(0..<400, in: environment)
    let used = try environment.info().highWaterBytes
    let bytes = try scratch.readDataFile()
    #expect(bytes.count > used)
    #expect(bytes[used...].allSatisfy { $0 == 0 })
    #expect(bytes.count - used <= (16 << 12) + 1_000 + (64 << 10))
    try environment.close()
    let again = try scratch.open(Configuration(durability: .full, treeCheck: .everything()))
    try expectValues(0..<400, in: again)
    try again.close()
  }

  @Test func aTransactionThatIsAbortedLeavesALongerFile() throws {
    let environment = try open()
    try store(0..<1, in: environment)
    let before = try size
    try environment.writeDeciding { transaction in
      environment.extendFile(growth, for: 300_000, in: transaction)
      return .abort(())
    }
    #expect(try size > before + 300_000)
    try expectValues(0..<1, in: environment)
    try store(1..<200, in: environment)
    try expectValues(0..<200, in: environment)
    try environment.close()
  }

  /// A copy by a tool that knows only LMDB's pages, or an older build, leaves no zeros; a process that was killed
  /// while it wrote them leaves any number of them.
  @Test(arguments: [0, 1_234])
  func aFileWithFewerZerosIsWholeAndIsExtended(zeroCount: Int) throws {
    let environment = try open()
    try store(0..<20, in: environment)
    let used = try environment.info().highWaterBytes
    try environment.close()
    let bytes = try scratch.readDataFile()
    try scratch.writeDataFile(Array(bytes[..<(used + zeroCount)]))
    let again = try scratch.open(Configuration(durability: .full, treeCheck: .everything()))
    try expectValues(0..<20, in: again)
    try store(20..<200, in: again)
    try expectValues(0..<200, in: again)
    #expect(try size.isMultiple(of: 4_096))
    #expect(try size > again.info().highWaterBytes)
    try again.close()
  }

  @Test func nothingIsExtendedWithoutSyncs() throws {
    let environment = try scratch.open(Configuration(durability: .noneForTests))
    try store(0..<20, in: environment)
    #expect(try size <= environment.info().highWaterBytes)
    try environment.close()
  }

  @Test func aCompactedCopyHasNoZeros() throws {
    let environment = try open()
    try store(0..<20, in: environment)
    try environment.close()
    let copy = try scratch.compactedCopy()
    #expect(try FileSystem.fileSize(copy.dataFile) < size - (64 << 10))
  }

  #if DEBUG
    @Test(arguments: [LMDBStatus.system(.inputOutput), .system(.noSpace)])
    func aFailureIsIgnored(status: LMDBStatus) throws {
      let faults = FaultInjector()
      faults.force(status, on: .extendFile)
      let environment = try open(faults)
      try store(0..<3, in: environment)
      #expect(faults.firedCount == 1)
      try expectValues(0..<3, in: environment)
      // The next commit tried again.
      #expect(try size > environment.info().highWaterBytes)
      try environment.close()
    }

    /// A quota does not show in the free space. LMDB reports what it causes as an error of the disk.
    @Test func aShortWriteWithoutRoomForTheZerosIsAFullDisk() throws {
      let faults = FaultInjector()
      let environment = try open(faults)
      faults.force(.system(.quotaExceeded), on: .extendFile)
      faults.force(.system(.inputOutput), on: .commit)
      #expect(lmdbError { try store(0..<1, in: environment) }?.refusal == .diskFull)
      // It counts for its own transaction only.
      faults.force(.system(.quotaExceeded), on: .extendFile)
      try store(0..<1, in: environment)
      faults.force(.system(.inputOutput), on: .commit)
      let error = lmdbError { try environment.store([1], 1) }
      #expect(error?.status == .system(.inputOutput) && error?.refusal == nil)
      #expect(faults.firedCount == 4)
      try environment.close()
    }
  #endif
}
