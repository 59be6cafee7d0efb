import Foundation
import LedgerSystem
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLMDB

@Suite(.timeLimit(.minutes(10))) struct InspectionTests {
  let scratch: ScratchDirectory
  let environment: Environment

  init() throws {
    scratch = try ScratchDirectory()
    environment = try scratch.open()
  }

  private func fill(_ count: Int) throws {
    let value = [UInt8](repeating: 5, count: 1000)
    try environment.write { transaction in
      for key in 0..<count {
        try transaction.put(value.span, forKey: UInt64(key), in: environment.log, append: true)
      }
    }
  }

  @Test func statisticsCountEntriesAndPages() throws {
    try fill(100)
    let statistics = try environment.read { try $0.statistics(of: environment.log) }
    #expect(statistics.entries == 100)
    #expect(statistics.depth == 2)
    #expect(statistics.branchPages == 1)
    #expect(statistics.leafPages >= 25)
    #expect(statistics.overflowPages == 0)
  }

  @Test func theHighWaterMarkIsTheSizeOfTheFile() throws {
    try fill(100)
    let info = try environment.info()
    #expect(info.pageSize == 4096 || info.pageSize == 16384)
    #expect(info.highWaterBytes == (try scratch.readDataFile().count))
    #expect(info.maximumReaders == 1_022)
    // Smaller where the system does not give that much, as under a sanitizer.
    #expect(info.mapSize <= Configuration.defaultMapSize && info.mapSize >= 1 << 30)
  }

  @Test func emptyingATableMakesItsPagesFree() throws {
    try fill(100)
    let before = try environment.read { try $0.freePageCount() }
    let pages = try environment.read { try $0.statistics(of: environment.log).pages }
    try environment.write { try $0.empty(environment.log) }
    let after = try environment.read { try $0.freePageCount() }
    #expect(after - before >= pages)
    #expect(after <= (try environment.info().lastPage))
  }

  @Test func aRunningReaderIsListed() throws {
    try environment.store([1], 1)
    try environment.read { _ in
      let readers = try environment.readerList()
      #expect(readers.contains { $0.processID == getpid() && $0.transactionID != nil })
    }
    #expect(try environment.readerList().allSatisfy { $0.transactionID == nil })
  }

  @Test func noReaderOfALiveProcessIsStale() throws {
    try environment.read { _ in
      let stale = try environment.checkStaleReaders()
      #expect(stale == 0)
    }
  }

  @Test func moreReadersThanThePoolHoldsRunAtOnce() throws {
    func nest(_ depth: Int) throws -> Int {
      guard depth > 0 else { return 0 }
      return try environment.read { _ in try nest(depth - 1) + 1 }
    }
    #expect(try nest(30) == 30)
    #expect(try environment.readerList().count <= 8)
  }

  @Test func aFullMapIsAnErrorAndGrowingMendsIt() throws {
    let other = try ScratchDirectory()
    let small = try other.open(Configuration(mapSize: 1 << 20, durability: .noneForTests))
    let value = [UInt8](repeating: 1, count: 2 << 20)
    #expect(lmdbError { try small.store(value, 1) }?.status == .mapFull)
    #expect(try small.keys() == [])
    try small.grow(to: 16 << 20)
    try small.store(value, 1)
    #expect(try small.load(1)?.count == value.count)
  }

  @Test func growingInsideATransactionIsRefused() throws {
    try environment.read { _ in
      #expect(lmdbError { try environment.grow(to: 1 << 40) }?.refusal == .insideTransaction)
    }
  }

  #if DEBUG
    @Test func growingWaitsForTheReadersOfOtherThreads() throws {
      // A map that grows is removed first, and then must find room beside those of other tests.
      let other = try ScratchDirectory()
      let faults = FaultInjector()
      let environment = try other.open(
        Configuration(mapSize: 1 << 24, durability: .noneForTests, faults: faults))
      let isReading = Mutex(true)
      let wasReading = Mutex<Bool?>(nil)
      let (isInside, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let hasGrown = DispatchSemaphore(value: 0)
      for key in 0..<10 { try environment.store([5], UInt64(key)) }
      let size = try environment.info().mapSize + (1 << 20)
      Thread {
        try? environment.read { transaction in
          isInside.signal()
          mayEnd.wait()
          // Would crash if the map had been removed.
          try transaction.scan(environment.log) { _, value in value[0] == 5 }
          isReading.withLock { $0 = false }
        }
      }.start()
      isInside.wait()
      faults.observe(.setMapSize) {
        let reads = isReading.withLock { $0 }
        wasReading.withLock { $0 = reads }
      }
      Thread {
        try? environment.grow(to: size)
        hasGrown.signal()
      }.start()
      while !environment.isAwaited, wasReading.withLock({ $0 == nil }) { sched_yield() }
      // A map that grows without waiting does so now.
      for _ in 0..<1_000 { sched_yield() }
      mayEnd.signal()
      hasGrown.wait()
      #expect(wasReading.withLock { $0 } == false)
      #expect(try environment.info().mapSize == size)
      #expect(try environment.keys().count == 10)
    }
  #endif
}

@Suite(.timeLimit(.minutes(10))) struct AccessTests {
  @Test func aDirectoryWithoutWritePermissionCanBeRead() throws {
    let scratch = try ScratchDirectory()
    let writer = try scratch.open()
    try writer.store([1], 1)
    try writer.close()
    try FileManager.default.removeItem(atPath: scratch.environmentPath + "/lock.mdb")
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: scratch.dataFile)
    try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: scratch.environmentPath)
    defer {
      try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.environmentPath)
    }
    let reader = try scratch.open(
      Configuration(access: .readOnlyWithoutLock, durability: .noneForTests))
    #expect(try reader.keys() == [1])
    #expect(lmdbError { try reader.store([1], 2) }?.refusal == .readOnly)
    try reader.close()
    // Nothing was written, under any user.
    let left = try files.contentsOfDirectory(atPath: scratch.environmentPath)
    #expect(left == ["data.mdb"])
  }

  @Test func readingAMissingEnvironmentIsAnErrorAndCreatesNothing() throws {
    let scratch = try ScratchDirectory()
    for access in [Configuration.Access.readOnly, .readOnlyWithoutLock] {
      let error = lmdbError { _ = try scratch.open(Configuration(access: access)) }
      #expect(error?.status == .system(.notFound), "\(access)")
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.environmentPath))
  }

  @Test func aTableThatDoesNotExistCannotBeOpenedForReading() throws {
    let scratch = try ScratchDirectory()
    try scratch.open().close()
    let error = lmdbError {
      _ = try Environment.open(
        at: scratch.environmentPath,
        configuration: Configuration(access: .readOnly, durability: .noneForTests),
        tables: [TableDescription("other", keys: .integer)])
    }
    #expect(error?.status == .notFound)
    #expect(error?.operation == .openTable)
    #expect(openDescriptors(of: scratch.path).isEmpty)
  }

  @Test func aNewEnvironmentBelongsToItsOwnerOnly() throws {
    let scratch = try ScratchDirectory()
    try scratch.open().close()
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(scratch.environmentPath) == 0o700)
    #expect(try mode(scratch.dataFile) == 0o600)
    #expect(try mode(scratch.environmentPath + "/lock.mdb") == 0o600)
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch.environmentPath)
    #expect(Set(files) == ["data.mdb", "lock.mdb"])
  }

  @Test(arguments: [(25, false), (26, true), (31, true), (32, false)])
  func theVersionsThatDestroyTheLockAreKnown(patch: Int, isHazard: Bool) {
    let version = LMDBVersion(major: 0, minor: 9, patch: patch)
    #expect((version.knownHazard != nil) == isHazard)
  }
}
