import Foundation
import LedgerTreeSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The tool on ledgers with some pages that are no longer reachable.
@Suite(.timeLimit(.minutes(10)))
struct DamagedPagesTests {
  private static let dataFile = "/generation-000001/data.mdb"

  private let temporary: TemporaryLedger
  private let ids: [PromiseID]

  /// A folded ledger of many promises.
  init() async throws {
    temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    ids = try await withThrowingTaskGroup { group in
      for _ in 0..<300 { group.addTask { try await ledger.createPromise(of: Bool.self).id } }
      var ids: [PromiseID] = []
      for try await id in group { ids.append(id) }
      return ids
    }
    let large = try await ledger.createPromise(of: [UInt8].self)
    try await large.fulfill([UInt8](repeating: 7, count: 9_000))
    _ = try await ledger.compact(.foldOnly)
    await ledger.close()
  }

  private func change(_ body: (inout TreeFile) throws -> Void) throws {
    let url = URL(fileURLWithPath: temporary.path + Self.dataFile)
    var file = TreeFile(Array(try Data(contentsOf: url)))
    try body(&file)
    try Data(file.bytes).write(to: url)
  }

  @Test func aRecordOnALostPageIsNotSaidToBeMissing() throws {
    let last = try #require(ids.max { $0.entityID < $1.entityID })
    #expect(try CommandRun("show", temporary.path, "\(last)").status == 0)
    let never = "019b0000-0000-7000-8000-000000000000"
    #expect(try CommandRun("show", temporary.path, never).status == 3)
    try change { file in
      let root = try #require(file.tree(named: "entities")).record.root
      let children = file[Int(root)].nodes.map { (file[Int(root)].bytes[$0.key], $0.child) }
      try #require(children.count > 3)
      file[Int(root)] = try #require(
        TreePage.branch(
          number: root, children.prefix(2).map { (key: Array($0.0), page: $0.1) }))
    }
    let run = try CommandRun("show", temporary.path, "\(last)")
    #expect(run.status == 5, "\(run.notes)")
    #expect(run.notes.contains("the table entities has"))
  }

  /// The record of a table claims that it is empty, and all counts agree with that.
  @Test func statisticsMissPagesThatNothingLeadsTo() throws {
    #expect(try CommandRun("stats", temporary.path).status == 0)
    try change { file in
      let blob = try #require(file.tree(named: "blob"))
      var record = blob.record
      try #require(record.entries > 0)
      (record.depth, record.entries, record.root) = (0, 0, TreeRecord.noRoot)
      (record.branchPages, record.leafPages, record.overflowPages) = (0, 0, 0)
      file.setRecord(of: blob, to: record)
    }
    let run = try CommandRun("stats", temporary.path)
    #expect(run.status == 5, "\(run.notes)")
  }
}
