import LedgerLMDB
import LedgerTreeSupport
import Testing

/// Compares the parser of data files that the damage tests use with LMDB.
@Suite(.timeLimit(.minutes(10)))
struct TreeFileTests {
  let scratch: ScratchDirectory
  static let keys = (1...600).map { UInt64($0) }

  init() throws {
    scratch = try ScratchDirectory()
    let environment = try scratch.open(Configuration(durability: .full))
    for group in stride(from: 0, to: Self.keys.count, by: 20) {
      try environment.write { transaction in
        for key in Self.keys[group..<(group + 20)] {
          try transaction.put(Self.value(of: key).span, forKey: key, in: environment.log)
        }
      }
    }
    try environment.close()
  }

  /// Every 25th has a page of its own.
  static func value(of key: UInt64) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: key % 25 == 0 ? 3_000 : 300)
  }

  @Test func treesHoldWhatLMDBWrote() throws {
    let file = TreeFile(try scratch.readDataFile())
    #expect(file.trees.map(\.name) == ["free", "main", "log", "names"])
    #expect(file.tree(named: "names")?.record.root == TreeRecord.noRoot)
    let log = try #require(file.tree(named: "log"))
    var entries: [(key: UInt64, value: [UInt8])] = []
    var counts: [TreePage.Flags: UInt64] = [:]
    file.forEachPage(of: log) { number, page, depth in
      counts[page.flags, default: 0] += 1
      #expect(page.number == UInt64(number))
      #expect(page.flags != .branch || depth < log.record.depth)
      guard page.flags == .leaf else { return }
      for node in page.nodes {
        entries.append((page.bytes.integer(at: node.key.lowerBound), value(of: node, page, file)))
      }
    }
    #expect(entries.map(\.key) == Self.keys)
    #expect(entries.allSatisfy { $0.value == Self.value(of: $0.key) })
    #expect(log.record.entries == UInt64(Self.keys.count))
    #expect(counts[.branch] == log.record.branchPages)
    #expect(counts[.leaf] == log.record.leafPages)
    #expect(counts[.overflow] == log.record.overflowPages)
  }

  private func value(of node: TreeNode, _ page: TreePage, _ file: TreeFile) -> [UInt8] {
    guard node.flags & TreeNode.bigData != 0 else { return Array(page.bytes[node.value]) }
    let number: UInt64 = page.bytes.integer(at: node.value.lowerBound)
    return Array(
      file.page(number)?.bytes.dropFirst(TreePage.headerByteCount).prefix(node.valueByteCount)
        ?? [])
  }

  @Test func recordIsWrittenAsItWasRead() throws {
    var file = TreeFile(try scratch.readDataFile())
    let whole = file.bytes
    for tree in file.trees { file.setRecord(of: tree, to: tree.record) }
    #expect(file.bytes == whole)
  }

  @Test func lmdbReadsATreeThatWasMadeByHand() throws {
    var file = TreeFile(try scratch.readDataFile())
    let log = try #require(file.tree(named: "log"))
    func key(_ number: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let leaves = try (0..<3).map { index in
      let first = UInt64(10 * index)
      let entries = (first..<(first + 10)).map { (key($0), [UInt8](repeating: 1, count: 9)) }
      return (key(first), try #require(file.append { .leaf(number: $0, entries) }))
    }
    var record = log.record
    record.root = try #require(file.append { .branch(number: $0, leaves) })
    (record.depth, record.branchPages, record.leafPages) = (2, 1, 3)
    (record.overflowPages, record.entries) = (0, 30)
    file.setRecord(of: log, to: record)
    try scratch.writeDataFile(file.bytes)
    let environment = try scratch.open()
    #expect(try environment.keys() == Array(0..<30))
    try environment.close()
  }

  @Test func damagedPageCanBeTakenApart() throws {
    var page = TreePage([UInt8](repeating: 0xFF, count: TreePage.byteCount))
    #expect(page.nodes.isEmpty)
    page.lower = 18
    page.flags = .leaf
    #expect(page.nodes.isEmpty)
  }
}
