import Foundation
import LedgerLMDB
import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Every page is checked against the pages that LMDB could have written, before LMDB trusts it.
@Suite(.timeLimit(.minutes(10)))
struct TreeCheckTests {
  static let everything = TreeCheckExtent.everything()

  /// Puts and deletes some entries of both tables, with values of all sizes.
  static func change(
    _ environment: Environment, _ generator: inout SeededGenerator, _ round: Int
  ) throws {
    let growth = round / 20 % 2 == 0
    try environment.write { transaction in
      for _ in 0..<Int.random(in: 1...60, using: &generator) {
        let key = UInt64.random(in: 1...900, using: &generator)
        let name = Array(
          "\(key &* 0x9E37_79B9_7F4A_7C15)".utf8.prefix(Int(key % 19) + 1))
        guard Int.random(in: 0..<10, using: &generator) < (growth ? 8 : 2) else {
          _ = try transaction.delete(forKey: key, in: environment.log)
          _ = try transaction.delete(forKey: name.span, in: environment.names)
          continue
        }
        let sizes = [0, 9, 300, 1_900, 2_030, 2_100, 4_080, 9_000]
        let size = sizes.randomElement(using: &generator) ?? 1
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: size)
        try transaction.put(value.span, forKey: key, in: environment.log)
        if size < 3_000 {
          try transaction.put(value.span, forKey: name.span, in: environment.names)
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func whatLMDBWritesIsWhole(seed: UInt64) throws {
    let scratch = try ScratchDirectory()
    let environment = try scratch.open()
    var generator = SeededGenerator(seed: seed)
    for round in 0..<200 {
      try Self.change(environment, &generator, round)
      if round % 60 == 59 {
        try environment.write { try $0.empty(environment.names) }
      }
      let damage = try environment.checkEverything()
      try #require(damage == nil, "seed \(seed), round \(round): \(damage as Any)")
    }
    try environment.close()
    // Opening checks the paths to the ends.
    try scratch.open().close()
    let copy = try scratch.compactedCopy().open()
    let damage = try copy.checkEverything()
    #expect(damage == nil)
  }

  @Test func pagesThatAnotherThreadWritesMeanwhileAreIntact() throws {
    let scratch = try ScratchDirectory()
    let environment = try scratch.open()
    let isOver = Atomic<Bool>(false)
    let problem = Mutex<String?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Thread {
      defer { ended.signal() }
      do {
        while !isOver.load(ordering: .relaxed) {
          if let damage = try environment.checkEverything() {
            problem.withLock { $0 = "\(damage)" }
          }
        }
      } catch {
        problem.withLock { $0 = "\(error)" }
      }
    }.start()
    var generator = SeededGenerator(seed: 7)
    for round in 0..<1_500 { try Self.change(environment, &generator, round) }
    isOver.store(true, ordering: .relaxed)
    ended.wait()
    #expect(problem.withLock { $0 } == nil)
    try environment.close()
  }

  // MARK: Damage

  /// A file with every kind of page, and its contents.
  private struct Original {
    let scratch: ScratchDirectory
    let file: TreeFile
    let contents: [[UInt8]]

    init() throws {
      scratch = try ScratchDirectory()
      let environment = try scratch.open(Configuration(durability: .full))
      var generator = SeededGenerator(seed: 99)
      for round in 0..<30 { try TreeCheckTests.change(environment, &generator, round) }
      contents = try environment.allBytes()
      try environment.close()
      file = TreeFile(try scratch.readDataFile())
    }

    /// Opens the file with these bytes, with every page checked, and reads all of it.
    ///
    /// - Returns: The reason for a refusal; `nil` if it was read.
    func open(_ bytes: [UInt8]) throws -> LMDBError? {
      try scratch.writeDataFile(bytes)
      var configuration = Configuration(durability: .full)
      configuration.treeCheck = TreeCheckTests.everything
      return lmdbError {
        let environment = try scratch.open(configuration)
        defer { try? environment.close() }
        let contents = try environment.allBytes()
        // Values have no checksums of this layer.
        #expect(contents.count == self.contents.count)
      }
    }
  }

  /// Bits of the headers of pages in use, of the offsets of their nodes, and of the headers of these.
  @Test func noBitOfAStructureEndsTheProcess() throws {
    let original = try Original()
    #expect(try original.open(original.file.bytes) == nil)
    var (count, refusedCount) = (0, 0)
    var overlooked: [String] = []
    for tree in original.file.trees {
      var places: [Int] = []
      original.file.forEachPage(of: tree) { number, page, _ in
        let start = number * TreePage.byteCount
        let ends = page.flags == .overflow ? TreePage.headerByteCount : page.lower
        // LMDB does not look at the pad.
        places += (0..<ends).filter { $0 != 8 && $0 != 9 }.map { start + $0 }
        guard page.flags != .overflow else { return }
        for node in page.nodes {
          // The size of a value, and the flags, which are the number of the page in a branch.
          places += (0..<TreeNode.headerByteCount).map { start + node.offset + $0 }
        }
      }
      // Some of them, but always the same ones.
      for (index, place) in places.enumerated() where index % 7 == 0 {
        var bytes = original.file.bytes
        bytes[place] ^= 1 << UInt8(index / 7 % 8)
        count += 1
        if try original.open(bytes) != nil {
          refusedCount += 1
        } else {
          overlooked.append("\(tree.name): byte \(place % 4096) of page \(place / 4096)")
        }
      }
    }
    print("\(count) bits of structures, \(refusedCount) refused")
    // Sizes of values may change by so little that they take the same bytes of pages: LMDB could
    // have written that, and reads nothing outside.
    #expect(overlooked.count < count / 25, "\(overlooked)")
  }

  @Test func aPageThatIsUsedTwiceIsRefused() throws {
    let original = try Original()
    var file = original.file
    let log = try #require(file.tree(named: "log"))
    var root = file[Int(log.record.root)]
    let nodes = root.nodes
    try #require(root.flags == .branch && nodes.count > 3)
    root.setChild(of: nodes[2], to: nodes[1].child)
    file[Int(log.record.root)] = root
    guard case .damagedPage? = try original.open(file.bytes)?.refusal else {
      Issue.record("a page that is used twice was not found")
      return
    }
  }

  @Test func aTreeWithOtherCountsIsRefusedForWriting() throws {
    let original = try Original()
    var file = original.file
    let log = try #require(file.tree(named: "log"))
    var record = log.record
    record.entries += 1
    file.setRecord(of: log, to: record)
    guard case .damagedPage? = try original.open(file.bytes)?.refusal else {
      Issue.record("an entry that is missing was not found")
      return
    }
    // It can be read all the same.
    var reading = Configuration(access: .readOnly)
    reading.treeCheck = Self.everything
    let environment = try original.scratch.open(reading)
    #expect(try environment.allBytes().count == original.contents.count)
    try environment.close()
  }

  /// Branches that share their children: a walk would take longer than the age of the universe.
  @Test func aBombIsRefusedAtOnceAndEndsAScan() throws {
    let original = try Original()
    var file = original.file
    let log = try #require(file.tree(named: "log"))
    func key(_ number: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    // Each level has its own first and last child, so that the paths to the ends are valid.
    func leaf(_ first: UInt64) throws -> UInt64 {
      try #require(file.append { .leaf(number: $0, [(key(first), [1]), (key(first + 1), [2])]) })
    }
    var (low, middle, high) = (try leaf(1), try leaf(1_000), try leaf(1 << 40))
    for _ in 0..<8 {
      let shared = (0..<60).map { _ in (key: key(1_000), page: middle) }
      let (first, last) = (low, high)
      low = try #require(file.append { .branch(number: $0, [(key(0), first)] + shared) })
      high = try #require(
        file.append { .branch(number: $0, shared + [(key(1 << 40), last)]) })
      middle = try #require(file.append { .branch(number: $0, shared) })
    }
    var record = log.record
    record.root = try #require(
      file.append {
        .branch(number: $0, [(key(0), low), (key(1_000), middle), (key(1 << 40), high)])
      })
    (record.depth, record.branchPages, record.leafPages) = (10, 24, 3)
    (record.overflowPages, record.entries) = (0, 1_000)
    file.setRecord(of: log, to: record)
    guard case .damagedPage? = try original.open(file.bytes)?.refusal else {
      Issue.record("the bomb was not found")
      return
    }
    // Without that check a scan ends where the keys do not ascend.
    let error = lmdbError {
      let environment = try original.scratch.open()
      defer { try? environment.close() }
      _ = try environment.allBytes()
    }
    #expect(error?.status == .corrupted || error?.status == .refused)
  }
}

extension Environment {
  /// The problem with any page.
  func checkEverything(_ tick: () -> Void = {}) throws(LMDBError) -> LMDBError? {
    try checkTrees(.everything(), tables: ScratchDirectory.tables) {
      tick()
      return true
    }
  }

  /// Every entry of both tables, and the free list.
  fileprivate func allBytes() throws -> [[UInt8]] {
    try read { transaction in
      var contents: [[UInt8]] = []
      try transaction.scan(log) { key, value in
        contents.append(Array("\(key) ".utf8) + value.bytesArray)
        return true
      }
      let start: [UInt8] = []
      try transaction.scan(names, fromKey: start.span) { key, value in
        contents.append(key.bytesArray + value.bytesArray)
        return true
      }
      _ = try transaction.freePageCount()
      return contents
    }
  }
}
