import LedgerLMDB
import LedgerTreeSupport
import Testing

/// The list of tables names the transaction that wrote it, so that an older list is not taken for
/// the newest.
@Suite(.timeLimit(.minutes(10)))
struct TransactionStampTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// The result of opening a file that contains an older list of tables.
  private func opening(_ bytes: [UInt8], _ access: Configuration.Access) throws -> LMDBError? {
    let copy = try ScratchDirectory()
    try copy.open().close()
    try copy.writeDataFile(bytes)
    return lmdbError { try copy.open(Configuration(access: access)).close() }
  }

  @Test func anOlderListOfTablesIsRefused() throws {
    let environment = try scratch.open(Configuration(durability: .full))
    var history = PageHistory(scratch.dataFile)
    var oldListCount = 0
    for number in 1...12 as ClosedRange<UInt64> {
      try environment.store([UInt8(number)], number)
      try history.look()
      let main = try #require(history.file.tree(named: TreeFile.mainTreeName))
      let older = history.lostVersions.filter {
        $0.number == Int(main.record.root)
          && $0.page.nodes.contains { $0.flags & TreeNode.subTree != 0 }
      }
      for version in older {
        oldListCount += 1
        var file = history.file
        file[version.number] = version.page
        for access in [Configuration.Access.readOnly, .readWrite] {
          let error = try opening(file.bytes, access)
          guard case .damagedPage(UInt64(version.number), let what)? = error?.refusal,
            what.contains("list of tables")
          else {
            Issue.record("\(version) after \(number) writes: \(error as Any)")
            continue
          }
        }
      }
    }
    #expect(oldListCount > 5)
    try environment.close()
  }

  @Test func aListWithoutANumberIsRefused() throws {
    let environment = try scratch.open(Configuration(durability: .full))
    try environment.store([1], 1)
    try environment.close()
    var file = TreeFile(try scratch.readDataFile())
    let main = try #require(file.tree(named: TreeFile.mainTreeName))
    let root = Int(main.record.root)
    // The key of the stamp is the last one.
    let tables = file[root].nodes.dropLast().map {
      Array(file[root].bytes[$0.offset..<$0.value.upperBound])
    }
    file[root] = try #require(TreePage(number: main.record.root, .leaf, tables))
    var record = main.record
    record.entries -= 1
    file.setRecord(of: main, to: record)
    let what = "no transaction wrote the list of tables, and the newest is transaction 2"
    for access in [Configuration.Access.readOnly, .readWrite] {
      #expect(
        try opening(file.bytes, access)?.refusal
          == .damagedPage(page: main.record.root, what: what))
    }
  }

  @Test func anEnvironmentWithoutTablesIsStampedToo() throws {
    for tables in [[], ScratchDirectory.tables] {
      let environment = try Environment.open(at: scratch.environmentPath, tables: tables)
      try environment.write { _ in }
      try environment.close()
    }
    #expect(try scratch.open(Configuration(access: .readOnly)).keys() == [])
  }

  /// A compacted copy begins with transaction 1 again.
  @Test func aCompactedCopyIsTakenAndWrittenTo() throws {
    let environment = try scratch.open(Configuration(durability: .full))
    for number in 1...5 as ClosedRange<UInt64> { try environment.store([1], number) }
    try environment.close()
    let copy = try scratch.compactedCopy()
    for number in 6...9 as ClosedRange<UInt64> {
      let environment = try copy.open(Configuration(durability: .full))
      try environment.store([1], number)
      try environment.close()
    }
    #expect(try copy.open(Configuration(access: .readOnly)).keys() == Array(1...9))
  }
}
