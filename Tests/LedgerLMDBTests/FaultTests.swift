#if DEBUG
  import Foundation
  import LedgerLMDB
  import LedgerSystem
  import LedgerTestSupport
  import Testing

  /// The behaviour when a C call fails. Debug builds only: the seam is not in a release build.
  @Suite(.timeLimit(.minutes(10))) struct FaultTests {
    let scratch: ScratchDirectory
    let faults = FaultInjector()

    init() throws {
      scratch = try ScratchDirectory()
    }

    private func open(mapSize: Int = 1 << 30) throws -> Environment {
      try scratch.open(
        Configuration(mapSize: mapSize, durability: .noneForTests, faults: faults))
    }

    @Test func aFailedCommitLeavesTheEnvironmentUsableAndNothingWritten() throws {
      let environment = try open()
      faults.force(.system(.inputOutput), on: .commit)
      let error = lmdbError { try environment.store([1], 1) }
      #expect(error?.status == .system(.inputOutput))
      #expect(error?.commitOutcomeIsUnknown == false)
      #expect(!environment.isPanicked)
      #expect(try environment.keys() == [])
      try environment.store([1], 2)
      #expect(try environment.keys() == [2])
    }

    @Test func aFailedMetaWriteIsPanicUntilReopened() throws {
      let environment = try open()
      faults.force(.panic, on: .commit)
      let error = lmdbError { try environment.store([1], 1) }
      #expect(error?.commitOutcomeIsUnknown == true)
      #expect(environment.isPanicked)
      #expect(lmdbError { try environment.store([1], 1) }?.status == .panic)
      #expect(lmdbError { _ = try environment.keys() }?.status == .panic)
      try environment.close()
      let reopened = try open()
      try reopened.store([1], 1)
      #expect(try reopened.keys() == [1])
    }

    @Test func fullReaderSlotsAreClearedOnceAndTheReadGoesOn() throws {
      let environment = try open()
      let checksBefore = faults.count(of: .checkReaders)
      faults.force(.readersFull, on: .begin)
      #expect(try environment.keys() == [])
      #expect(faults.count(of: .checkReaders) == checksBefore + 1)
    }

    @Test func readerSlotsThatStayFullAreAnError() throws {
      let environment = try open()
      faults.force(.readersFull, on: .begin, call: 1)
      faults.force(.readersFull, on: .begin, call: 2)
      #expect(lmdbError { _ = try environment.keys() }?.status == .readersFull)
      #expect(try environment.keys() == [])
    }

    @Test func aMapThatAnotherProcessGrewIsAdopted() throws {
      let environment = try open()
      let before = faults.count(of: .setMapSize)
      faults.force(.mapResized, on: .begin)
      #expect(try environment.keys() == [])
      #expect(faults.count(of: .setMapSize) == before + 1)
    }

    @Test func aClashOfProcessIDsIsNamed() throws {
      let environment = try open()
      faults.force(.system(.wouldBlock), on: .begin)
      #expect(lmdbError { _ = try environment.keys() }?.refusal == .processIDClash)
    }

    @Test(arguments: [LMDBStatus.system(.noMemory), .system(.invalidArgument)])
    func aMapThatTheSystemRefusesIsMadeSmallerUntilItFits(status: LMDBStatus) throws {
      try open().close()
      faults.force(status, on: .openEnvironment, call: 1)
      faults.force(status, on: .openEnvironment, call: 2)
      let environment = try open(mapSize: 1 << 30)
      #expect(try environment.info().mapSize == 1 << 22)
    }

    @Test(arguments: [UInt(0x6969), 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546])
    func aNetworkFileSystemIsRefused(type: UInt) throws {
      faults.pretendFileSystem(ofType: type)
      #expect(lmdbError { _ = try open() }?.refusal == .networkFileSystem(type: type))
      #expect(!FileManager.default.fileExists(atPath: scratch.dataFile))
    }

    @Test func anObserverRunsRightBeforeTheCall() throws {
      let environment = try open()
      let seen = Seen()
      faults.observe(.commit) { [weak environment] in
        seen.keys = (try? environment?.keys()) ?? [99]
      }
      try environment.store([1], 1)
      #expect(seen.keys == [])
      #expect(try environment.keys() == [1])
    }

    /// Only the thread that commits touches it.
    private final class Seen: @unchecked Sendable {
      var keys: [UInt64]?
    }

    /// Every operation fails at its first call, its second, and so on, until a run passes untouched.
    @Test(
      arguments: LMDBOperation.allCases,
      [LMDBStatus.system(.inputOutput), .system(.noMemory), .corrupted])
    func aFaultAtAnyCallLeavesNothingBehind(operation: LMDBOperation, status: LMDBStatus) throws {
      for call in 1...1000 {
        let scratch = try ScratchDirectory()
        let faults = FaultInjector()
        faults.force(status, on: operation, call: call)
        do {
          try everything(in: scratch, faults)
        } catch is LMDBError {
          // The other tests check the error itself.
        }
        #expect(openDescriptors(of: scratch.path).isEmpty, "call \(call)")
        #expect(mapsOf(scratch.path) == 0, "call \(call)")
        try everything(in: scratch, nil)
        if faults.firedCount == 0 { return }
      }
      Issue.record("no run passed untouched")
    }

    /// One of every operation of this layer.
    private func everything(in scratch: ScratchDirectory, _ faults: FaultInjector?) throws {
      let environment = try scratch.open(
        Configuration(mapSize: 1 << 24, durability: .noneForTests, faults: faults))
      let name: [UInt8] = [1]
      try environment.write { transaction in
        try transaction.empty(environment.log)
        for key in 0..<4 {
          try transaction.put(name.span, forKey: UInt64(key), in: environment.log)
        }
        try transaction.put(name.span, forKey: name.span, in: environment.names)
        try transaction.putSorted(in: environment.names) { writer in
          try writer.put(name.span, forKey: name.span)
        }
        try transaction.delete(forKey: 3, in: environment.log)
      }
      try environment.read { transaction in
        _ = try transaction.value(forKey: name.span, in: environment.names)
        _ = try transaction.floorKey(9, in: environment.log)
        _ = try transaction.statistics(of: environment.log)
        _ = try transaction.freePageCount()
        try transaction.scan(environment.log) { _, _ in true }
      }
      _ = try environment.load(1)
      _ = try environment.info()
      _ = try environment.readerList()
      _ = try environment.checkStaleReaders()
      try environment.sync()
      try environment.grow(to: 1 << 25)
      try environment.close()
    }
  }
#endif
