import Foundation
import LedgerLMDB
import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// A check of all pages ends when it must, and does not block anything else.
@Suite(.timeLimit(.minutes(10)))
struct TreeCheckBoundsTests {
  private let scratch: ScratchDirectory

  /// A file of some hundred pages.
  init() throws {
    scratch = try ScratchDirectory()
    let environment = try scratch.open(Configuration(durability: .full))
    var generator = SeededGenerator(seed: 99)
    for round in 0..<20 { try TreeCheckTests.change(environment, &generator, round) }
    try environment.close()
  }

  private func checking(
    _ extent: TreeCheckExtent, faults: FaultInjector? = nil
  ) -> Configuration {
    Configuration(durability: .full, treeCheck: extent, faults: faults)
  }

  /// Damages a leaf that is not on a path to an end of its table.
  private func damageALeaf() throws {
    var file = TreeFile(try scratch.readDataFile())
    let log = try #require(file.tree(named: "log"))
    var leaves: [Int] = []
    file.forEachPage(of: log) { number, page, _ in
      if page.flags == .leaf { leaves.append(number) }
    }
    try #require(leaves.count > 10)
    file[leaves[leaves.count / 2]][14] ^= 2
    try scratch.writeDataFile(file.bytes)
  }

  /// Opens and closes another environment.
  ///
  /// - Returns: Whether that completed.
  private static func openAnother() throws -> Bool {
    let other = try ScratchDirectory()
    let ended = DispatchSemaphore(value: 0)
    Thread {
      try? other.open().close()
      ended.signal()
    }.start()
    return ended.wait(timeout: .now() + 10) == .success
  }

  #if DEBUG
    @Test func itKeepsNoOtherEnvironmentFromOpening() throws {
      let faults = FaultInjector()
      let isOpened = Atomic<Bool>(false)
      let wasLooking = Atomic<Bool>(false)
      // The first call belongs to LMDB's opening, the second to the check of the paths.
      faults.observe(.getDescriptor, call: 3) {
        wasLooking.store(true, ordering: .relaxed)
        isOpened.store((try? Self.openAnother()) ?? false, ordering: .relaxed)
      }
      try scratch.open(checking(.everything(), faults: faults)).close()
      let hasLooked = wasLooking.load(ordering: .relaxed)
      let hasOpened = isOpened.load(ordering: .relaxed)
      #expect(hasLooked)
      #expect(hasOpened)
    }
  #endif

  @Test func aHandleThatWaitsForALongReadKeepsNoOtherEnvironmentFromOpening() throws {
    let reader = try scratch.open(Configuration(access: .readOnly, yieldsToOthers: true))
    let ended = DispatchSemaphore(value: 0)
    let path = scratch
    try reader.read { _ in
      Thread {
        try? path.open(Configuration(durability: .full)).close()
        ended.signal()
      }.start()
      while !reader.isClosed { sched_yield() }
      let isOpened = try Self.openAnother()
      #expect(isOpened)
    }
    #expect(ended.wait(timeout: .now() + 10) == .success)
  }

  @Test func itEndsWhenAnotherHandleWaitsForIt() throws {
    let reader = try scratch.open(Configuration(access: .readOnly, yieldsToOthers: true))
    let ended = DispatchSemaphore(value: 0)
    let path = scratch
    var isFirst = true
    let error = lmdbError {
      _ = try reader.checkEverything {
        guard isFirst else { return }
        isFirst = false
        Thread {
          try? path.open(Configuration(durability: .full)).close()
          ended.signal()
        }.start()
        while !reader.isAwaited { sched_yield() }
      }
    }
    #expect(error?.refusal == .closed)
    #expect(ended.wait(timeout: .now() + 10) == .success)
  }

  @Test func withoutTimeItLooksAtTheWaysOnly() throws {
    try damageALeaf()
    try scratch.open(checking(.everything(maximumDuration: .zero))).close()
    try scratch.open(checking(.everything(maximumPageCount: 1))).close()
    #expect(lmdbError { try scratch.open(checking(.everything())).close() }?.refusal != nil)
  }

  @Test func aDamagedFileBesideAWriterIsLookedAtSomeTimesOnly() throws {
    try damageALeaf()
    let environment = try scratch.open(Configuration(durability: .noneForTests))
    let pageCount = try environment.info().lastPage
    var tickCount = 0
    let error = lmdbError {
      _ = try environment.checkEverything {
        tickCount += 1
        #expect(throws: Never.self) {
          try environment.write { transaction in
            let key = [UInt8(tickCount % 200)]
            try transaction.put([1].span, forKey: key.span, in: environment.names)
          }
        }
      }
    }
    guard case .damagedPage? = error?.refusal else {
      Issue.record("\(error as Any)")
      return
    }
    // Two checks of the paths, and twice three of everything.
    #expect(tickCount <= 8 * (pageCount / 64 + 1))
    try environment.close()
  }

  /// LMDB itself refuses pages behind the map.
  @Test(arguments: [1 << 26, 1 << 27] as [UInt64])
  func aMetaPageThatIsDamagedLaterIsRefused(lastPage: UInt64) throws {
    let environment = try scratch.open(Configuration(durability: .full))
    let file = TreeFile(try scratch.readDataFile())
    var bytes = [UInt8](repeating: 0, count: 8)
    bytes.set(lastPage, at: 0)
    // In place: a file of another identity would be another environment.
    let handle = try #require(FileHandle(forWritingAtPath: scratch.dataFile))
    try handle.seek(toOffset: UInt64(file.newestMeta * TreePage.byteCount + 136))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    guard case .implausibleMeta? = lmdbError({ _ = try environment.checkEverything() })?.refusal
    else {
      Issue.record("the last page was believed")
      return
    }
    try environment.close()
  }

  @Test func aTableOfAnotherNameIsRefusedForWritingAndReportedToReaders() throws {
    let empty = try ScratchDirectory()
    var environment = try empty.open(Configuration(durability: .full))
    try environment.store([1], 1)
    try environment.close()
    var bytes = try empty.readDataFile()
    let main = try #require(TreeFile(bytes).tree(named: TreeFile.mainTreeName))
    let page = Int(main.record.root)
    // The number of the transaction follows the tables.
    let node = try #require(TreeFile(bytes)[page].nodes.dropLast().last)
    #expect(TreeFile(bytes).tree(named: "names")?.record.entries == 0)
    bytes[page * TreePage.byteCount + node.key.upperBound - 1] ^= 1
    try empty.writeDataFile(bytes)
    let error = lmdbError { try empty.open(checking(.everything())).close() }
    guard case .damagedPage? = error?.refusal else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(try empty.readDataFile() == bytes)
    environment = try Environment.open(
      at: empty.environmentPath, configuration: Configuration(access: .readOnly),
      tables: [ScratchDirectory.tables[0]])
    #expect(try environment.load(1) == [1])
    #expect(try environment.checkEverything() != nil)
    try environment.close()
  }

  /// The record precedes the page of the free list that it lists.
  @Test func aPageOfTheFreeListThatIsListedAsFreeIsRefused() throws {
    let environment = try scratch.open(Configuration(durability: .full))
    // A reader keeps freed pages from being reused.
    try environment.read { _ in
      for number in 0..<150 {
        try environment.write { transaction in
          for key in 1...20 {
            let value = [UInt8](repeating: UInt8(number), count: 900)
            try transaction.put(value.span, forKey: UInt64(key * 40), in: environment.log)
          }
        }
      }
    }
    try environment.close()
    var file = TreeFile(try scratch.readDataFile())
    let list = try #require(file.tree(named: TreeFile.freeListName))
    var leaves: [Int] = []
    file.forEachPage(of: list) { number, page, _ in
      if page.flags == .leaf { leaves.append(number) }
    }
    let (first, last) = (try #require(leaves.first), try #require(leaves.last))
    try #require(first != last)
    let node = try #require(
      file[first].nodes.first { node in
        let second: UInt64 = file[first].bytes.integer(at: node.value.lowerBound + 16)
        return node.value.count > 24 && second < UInt64(last)
      })
    let record = Array(file[first].bytes[node.value])
    var changed = record
    changed.set(UInt64(last), at: 8)
    file[first].setValue(of: node, to: changed)
    try scratch.writeDataFile(file.bytes)
    let error = lmdbError { try scratch.open(checking(.paths)).close() }
    guard case .damagedPage(let page, _)? = error?.refusal else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(page == UInt64(last))
  }
}
