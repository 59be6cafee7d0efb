import Foundation
import LedgerTreeSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Pages of the data file whose structure is damaged, and a snapshot that the log does not reach.
@Suite(.timeLimit(.minutes(10)))
struct DamagedPageTests {
  private let temporary: TemporaryLedger
  private static let file = "/generation-000001/data.mdb"

  /// A ledger whose log has many pages.
  init() async throws {
    temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    for number in 0..<60 {
      _ = try await ledger.createPromise(
        of: Bool.self, tags: (0..<8).map { "\(number) \($0) and some more text" })
    }
    await ledger.close()
  }

  private func configuration(_ pageCheck: LedgerConfiguration.PageCheck) -> LedgerConfiguration {
    var configuration = CompactionSample.configuration()
    configuration.pageCheck = pageCheck
    return configuration
  }

  /// Changes the end of the free space of a leaf in the middle of the log, which no reader uses.
  ///
  /// - Returns: The number of the page.
  private func damageALeaf() throws -> Int {
    let url = URL(fileURLWithPath: temporary.path + Self.file)
    var file = TreeFile(Array(try Data(contentsOf: url)))
    let log = try #require(file.tree(named: "log"))
    var leaves: [Int] = []
    file.forEachPage(of: log) { number, page, _ in
      if page.flags == .leaf { leaves.append(number) }
    }
    try #require(leaves.count > 3)
    let page = leaves[leaves.count / 2]
    file[page][14] ^= 2
    try Data(file.bytes).write(to: url)
    return page
  }

  private func openError(_ pageCheck: LedgerConfiguration.PageCheck) async throws -> LedgerError? {
    do {
      let ledger = try await temporary.open(configuration: configuration(pageCheck))
      await ledger.close()
      return nil
    } catch let error as LedgerError {
      return error
    }
  }

  @Test func verifyNamesADamagedPageAndReadsNoFurther() async throws {
    let page = try damageALeaf()
    var findings: [VerificationFinding] = []
    let summary = try BlockingInspector(at: temporary.path).verify { findings.append($0) }
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("Page \(page) of the data file is damaged") == true)
    #expect(summary.corruptCount == 1)
    #expect(summary.frameCount == 0)
  }

  @Test func everyReadingFunctionRefusesADamagedPage() async throws {
    _ = try damageALeaf()
    let inspector = try BlockingInspector(at: temporary.path)
    for body: () throws -> Void in [
      { _ = try inspector.head }, { _ = try inspector.events() },
      { _ = try inspector.archive() }, { _ = try inspector.statistics() },
      { _ = try inspector.digests() },
    ] {
      #expect {
        try body()
      } throws: {
        ($0 as? LedgerError)?.code == .corrupt
      }
    }
  }

  /// Everything can be read, but the size of the table would be another.
  @Test func statisticsRefuseATableThatHasOtherPagesThanItSays() throws {
    let url = URL(fileURLWithPath: temporary.path + Self.file)
    var file = TreeFile(Array(try Data(contentsOf: url)))
    let log = try #require(file.tree(named: "log"))
    var record = log.record
    record.leafPages -= 1
    file.setRecord(of: log, to: record)
    try Data(file.bytes).write(to: url)
    let inspector = try BlockingInspector(at: temporary.path)
    #expect(try inspector.events(after: .start).count > 60)
    let error = #expect(throws: LedgerError.self) { try inspector.statistics() }
    #expect(error?.code == .corrupt)
  }

  @Test func openingLooksAtEveryPageAfterAnUncleanEnd() async throws {
    _ = try damageALeaf()
    #expect(try await openError(.never) == nil)
    #expect(try await openError(.afterUncleanEnd) == nil)
    #expect(try await openError(.always)?.code == .corrupt)
    let lock = temporary.path + "/sessions/\(UUID().uuidString.lowercased()).lock"
    try Data("open".utf8).write(to: URL(fileURLWithPath: lock))
    #expect(try await openError(.afterUncleanEnd)?.code == .corrupt)
    #expect(try await openError(.never) == nil)
  }

  /// The table is empty, so no count shows that it is gone.
  @Test func anEmptyTableWithADamagedNameIsFound() async throws {
    let url = URL(fileURLWithPath: temporary.path + Self.file)
    var file = TreeFile(Array(try Data(contentsOf: url)))
    let main = try #require(file.tree(named: TreeFile.mainTreeName))
    let page = file[Int(main.record.root)]
    #expect(file.tree(named: "parts")?.record.entries == 0)
    let node = try #require(
      page.nodes.first { String(decoding: page.bytes[$0.key], as: UTF8.self) == "parts" })
    file[Int(main.record.root)][node.key.upperBound - 1] ^= 1
    try Data(file.bytes).write(to: url)
    var findings: [VerificationFinding] = []
    let summary = try BlockingInspector(at: temporary.path).verify { findings.append($0) }
    #expect(findings.contains { $0.message.contains("the table partr") })
    #expect(summary.corruptCount > 0)
    #expect(try await openError(.always)?.code == .corrupt)
  }

  @Test func aFrozenSessionIsNoUncleanEnd() async throws {
    let directory = LedgerDirectory(temporary.path)
    #expect(!UncleanEnd.isSeen(in: directory))
    let ledger = try await temporary.open(configuration: configuration(.afterUncleanEnd))
    #expect(!UncleanEnd.isSeen(in: directory))
    try await ledger.freeze()
    #expect(!UncleanEnd.isSeen(in: directory))
    try await ledger.unfreeze()
    await ledger.close()
    #expect(!UncleanEnd.isSeen(in: directory))
  }

  /// An export that looked for an end that was behind it came to no end.
  @Test func aLogThatEndsBeforeTheDeletedEventsIsRefused() async throws {
    let ledger = try await CompactedLedger([CompactionSample.events])
    var summary = try BlockingInspector(at: ledger.path).store.snapshotSummary()
    summary.position = Position(rawValue: 10_000)
    summary.logDigest = LogDigest(position: summary.position, bytes: summary.logDigest.bytes)
    summary.readBackThrough = summary.position
    summary.deletedLog = summary.logDigest
    try ledger.put(summary.encoded, forKey: SnapshotSummary.key, in: "meta")
    // The mark of the last event would refuse it at once.
    try FileManager.default.removeItem(atPath: ledger.path + "/wake")
    #expect {
      try BlockingInspector(at: ledger.path).archive()
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
    #expect(try !ledger.findings().isEmpty)
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.temporary.open(configuration: CompactionSample.configuration())
    }
    #expect(error?.code == .corrupt)
  }
}
