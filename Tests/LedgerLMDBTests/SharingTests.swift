import Foundation
import LedgerLMDB
import LedgerTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct SharingTests {
  let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
  }

  @Test func aSecondOpenSeesTheSameDataAtOnce() throws {
    let first = try scratch.open()
    let second = try scratch.open()
    try first.store([1], 1)
    #expect(try second.load(1) == [1])
  }

  @Test func aSecondOpenThroughALinkSharesToo() throws {
    let first = try scratch.open()
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: scratch.environmentPath)
    let second = try Environment.open(
      at: link, configuration: Configuration(durability: .noneForTests),
      tables: [TableDescription("log", keys: .integer)])
    try second.store([1], 1)
    #expect(try first.load(1) == [1])
    #expect(openDescriptors(of: scratch.path).count(where: { $0.hasSuffix("lock.mdb") }) == 1)
  }

  @Test func closingOneHandleLeavesTheOthersAndTheirLocks() throws {
    let first = try scratch.open()
    let second = try scratch.open()
    try first.close()
    #expect(!openDescriptors(of: scratch.path).isEmpty)
    try second.store([1], 1)
    #expect(try second.load(1) == [1])
  }

  @Test(arguments: [Configuration.Access.readOnly, .readOnlyWithoutLock])
  func lessAccessSharesAndStillCannotWrite(access: Configuration.Access) throws {
    let writer = try scratch.open()
    let reader = try scratch.open(Configuration(access: access))
    try writer.store([1], 1)
    #expect(try reader.load(1) == [1])
    #expect(lmdbError { try reader.store([2], 2) }?.refusal == .readOnly)
    try writer.close()
    #expect(try reader.load(1) == [1])
    #expect(lmdbError { try reader.store([2], 2) }?.refusal == .readOnly)
  }

  @Test func moreAccessIsRefusedWhileAHandleDoesNotYield() throws {
    try scratch.open().close()
    let stubborn = try scratch.open(Configuration(access: .readOnly))
    let yielding = try scratch.open(Configuration(access: .readOnly, yieldsToOthers: true))
    let error = lmdbError { _ = try scratch.open() }
    guard case .optionsMismatch? = error?.refusal else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try stubborn.keys() == [])
    #expect(try yielding.keys() == [])
  }

  @Test func moreAccessClosesTheHandlesThatYield() throws {
    try scratch.open().close()
    let readers = try (0..<3).map { _ in
      try scratch.open(Configuration(access: .readOnly, yieldsToOthers: true))
    }
    let writer = try scratch.open()
    try writer.store([1], 1)
    #expect(readers.allSatisfy { $0.isClosed })
    #expect(lmdbError { _ = try readers[0].keys() }?.refusal == .closed)
    let again = try scratch.open(Configuration(access: .readOnly, yieldsToOthers: true))
    #expect(try again.load(1) == [1])
    for reader in readers { try reader.close() }
    #expect(try writer.load(1) == [1])
    #expect(openDescriptors(of: scratch.path).count(where: { $0.hasSuffix("lock.mdb") }) == 1)
    try again.close()
    try writer.close()
    #expect(openDescriptors(of: scratch.path).isEmpty)
    #expect(mapsOf(scratch.path) == 0)
  }

  #if DEBUG
    @Test func aHandleThatYieldsDoesNotKeepOthersFromLeavingAPanic() throws {
      let faults = FaultInjector()
      let writer = try scratch.open(
        Configuration(durability: .noneForTests, faults: faults))
      let reader = try scratch.open(Configuration(access: .readOnly, yieldsToOthers: true))
      faults.force(.panic, on: .commit)
      #expect(lmdbError { try writer.store([1], 1) }?.commitOutcomeIsUnknown == true)
      try writer.close()
      let anew = try scratch.open()
      #expect(reader.isClosed)
      try anew.store([1], 1)
    }
  #endif

  @Test func otherKeysForAnOpenTableAreRefused() throws {
    let first = try scratch.open()
    let error = lmdbError {
      _ = try Environment.open(
        at: scratch.environmentPath, configuration: Configuration(durability: .noneForTests),
        tables: [TableDescription("log", keys: .bytes)])
    }
    #expect(error?.operation == .openTable)
    #expect(!first.isClosed)
  }

  @Test func otherKeysForATableOfTheFileAreRefused() throws {
    try scratch.open().close()
    let error = lmdbError {
      _ = try Environment.open(
        at: scratch.environmentPath, configuration: Configuration(durability: .noneForTests),
        tables: [TableDescription("names", keys: .integer)])
    }
    #expect(error?.status == .corrupted)
    #expect(openDescriptors(of: scratch.path).isEmpty)
  }

  @Test func aClosedHandleRefuses() throws {
    let environment = try scratch.open()
    try environment.close()
    #expect(environment.isClosed)
    #expect(lmdbError { _ = try environment.keys() }?.refusal == .closed)
    #expect(lmdbError { try environment.store([1], 1) }?.refusal == .closed)
    #expect(lmdbError { _ = try environment.info() }?.refusal == .closed)
    #expect(lmdbError { try environment.grow(to: 1 << 30) }?.refusal == .closed)
  }

  @Test func closingTwiceIsHarmless() throws {
    let other = try scratch.open()
    let environment = try scratch.open()
    try environment.close()
    try environment.close()
    #expect(try other.keys() == [])
  }

  @Test func lettingGoOfAHandleCloses() throws {
    do {
      let environment = try scratch.open()
      try environment.store([1], 1)
    }
    #expect(openDescriptors(of: scratch.path).isEmpty)
  }

  @Test func afterTheLastCloseNoDescriptorAndNoMapRemains() throws {
    let first = try scratch.open()
    let second = try scratch.open()
    try first.store([1], 1)
    _ = try second.keys()
    #expect(!openDescriptors(of: scratch.path).isEmpty)
    #expect(mapsOf(scratch.path) > 0)
    try first.close()
    try second.close()
    #expect(openDescriptors(of: scratch.path).isEmpty)
    #expect(mapsOf(scratch.path) == 0)
  }

  @Test func closingInsideATransactionOfTheSameThreadIsRefused() throws {
    let environment = try scratch.open()
    try environment.read { _ in
      #expect(lmdbError { try environment.close() }?.refusal == .insideTransaction)
    }
    try environment.close()
  }

  @Test func closingWaitsForARunningTransaction() throws {
    let environment = try scratch.open()
    let isInside = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let reader = Thread {
      try? environment.read { _ in
        isInside.signal()
        mayEnd.wait()
      }
    }
    reader.start()
    isInside.wait()
    let closer = Thread { try? environment.close() }
    closer.start()
    // New transactions are refused as soon as closing has begun, and the reader outlives that
    // moment.
    while !environment.isClosed { sched_yield() }
    #expect(!openDescriptors(of: scratch.path).isEmpty)
    mayEnd.signal()
    while !openDescriptors(of: scratch.path).isEmpty { sched_yield() }
  }

  @Test func theMapGrowsOnceTheRunningTransactionsHaveEnded() throws {
    let environment = try scratch.open()
    let isInside = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let hasGrown = Mutex(false)
    let reader = Thread {
      try? environment.read { _ in
        isInside.signal()
        mayEnd.wait()
      }
    }
    reader.start()
    isInside.wait()
    let growth = Thread {
      #expect(throws: Never.self) { try environment.grow(to: 1 << 40) }
      hasGrown.withLock { $0 = true }
    }
    growth.start()
    while !environment.isAwaited, !hasGrown.withLock({ $0 }) { sched_yield() }
    for _ in 0..<1_000 where !hasGrown.withLock({ $0 }) { sched_yield() }
    #expect(!hasGrown.withLock { $0 })
    mayEnd.signal()
    while !hasGrown.withLock({ $0 }) { sched_yield() }
    try environment.close()
  }

  @Test func aWriteInsideAWriteOfTheSameThreadIsRefused() throws {
    let environment = try scratch.open()
    let second = try scratch.open()
    try environment.write { _ in
      #expect(lmdbError { try environment.store([1], 1) }?.refusal == .nestedWrite)
      #expect(lmdbError { try second.store([1], 1) }?.refusal == .nestedWrite)
    }
    try environment.store([1], 1)
    #expect(try environment.keys() == [1])
  }

  @Test func aReadInsideAWriteSeesTheStateBeforeIt() throws {
    let environment = try scratch.open()
    try environment.write { transaction in
      try transaction.put([1].span, forKey: 1, in: environment.log)
      #expect(try environment.keys() == [])
    }
  }

  @Test func writersOnSeveralThreadsTakeTurns() async throws {
    let environment = try scratch.open()
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask { storeKeys(environment, writer) }
      }
    }
    #expect(try environment.keys() == (0..<200).map { UInt64($0) })
  }

  @Test func theDataFileIsClosedOnExec() throws {
    let environment = try scratch.open()
    let directory = "/proc/self/fd"
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: directory + "/" + name)
      guard let target, target.hasPrefix(scratch.path), let number = Int32(name) else { continue }
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0, "\(target)")
    }
    #expect(!environment.isClosed)
  }
}

private func storeKeys(_ environment: Environment, _ writer: Int) {
  for index in 0..<50 {
    #expect(throws: Never.self, "writer \(writer), \(index)") {
      try environment.store([1], UInt64(index * 4 + writer))
    }
  }
}

/// The files below `path` that this process has open.
func openDescriptors(of path: String) -> [String] {
  let directory = "/proc/self/fd"
  let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  return names.compactMap { name in
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + name)
    return target?.hasPrefix(path + "/") == true ? target : nil
  }
}

/// How many memory maps of this process are of files below `path`.
func mapsOf(_ path: String) -> Int {
  guard let maps = FileHandle(forReadingAtPath: "/proc/self/maps") else { return 0 }
  let text = String(decoding: maps.readDataToEndOfFile(), as: UTF8.self)
  return text.split(separator: "\n").count { $0.contains(path) }
}
