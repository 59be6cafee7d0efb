import Foundation
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A disk that lost a write shows an older version of a page: whole, with valid checksums, and without
/// the newest entries. Acknowledged events must never vanish in silence, and none may take their places.
@Suite(.timeLimit(.minutes(10)))
struct LostWriteTests {
  /// The results of reading an intact ledger.
  private struct Truth {
    let head: Position
    let events: [LedgerEvent]
    let archive: [UInt8]
    let digest: LogDigest

    init(_ path: String) throws {
      let inspector = try BlockingInspector(at: path)
      defer { inspector.close() }
      head = try inspector.head
      events = try inspector.allEvents()
      archive = try inspector.archive()
      digest = try inspector.logDigest()
    }
  }

  @Test func noEventVanishesWithAnOlderVersionOfAnyPage() async throws {
    let refusedCounts = try await check(try await writes(compacting: false))
    #expect(refusedCounts[.never, default: 0] > 0)
  }

  @Test func noEventOfACompactedLedgerVanishesWithAnOlderVersionOfAnyPage() async throws {
    _ = try await check(try await writes(compacting: true))
  }

  /// A copy may have no mark of what was acknowledged: then the number of frames tells.
  @Test func withoutTheMarkNoEventVanishesWithAnOlderPageOfTheLog() async throws {
    let lost = try await writes(compacting: false)
    let truth = try Truth(lost.temporary.path)
    let versions = lost.versions.filter(lost.isLogLeaf)
    #expect(!versions.isEmpty)
    for version in versions {
      let copy = try lost.ledger(with: version)
      try FileManager.default.removeItem(atPath: copy.path + "/wake")
      #expect(reading(copy, truth) == [], "\(version)")
    }
  }

  /// The data file does not distinguish a lost write of the newest meta page from a commit that
  /// never was.
  @Test func noEventVanishesWithAnOlderMetaPage() async throws {
    let lost = try await writes(compacting: true)
    let whole = try lost.ledger()
    let truth = try Truth(whole.path)
    var refusedCount = 0
    for version in lost.metaVersions {
      let copy = try lost.ledger(with: version)
      #expect(reading(copy, truth) == [])
      do {
        #expect(try await writing(copy, truth, .never) == [])
      } catch let error as LedgerError where error.code == .corrupt {
        refusedCount += 1
      }
    }
    print("\(lost.metaVersions.count) older meta pages; refused: \(refusedCount)")
    #expect(refusedCount > 0)
  }

  /// A user who restored an older copy on purpose removes the mark, and continues from there.
  @Test func anOlderDataFileIsAcceptedWithoutTheMark() async throws {
    let lost = try await writes(compacting: false)
    let copies = try lost.metaVersions.map { try lost.ledger(with: $0) }
    let copy = try #require(copies.first { (try? BlockingInspector(at: $0.path)) == nil })
    try FileManager.default.removeItem(atPath: copy.path + "/wake")
    let ledger = try await copy.open()
    _ = try await ledger.createPromise(of: Bool.self)
    await ledger.close()
  }

  /// A copy that was made while the ledger was in use may have a newer mark than data.
  @Test func aMarkHoldsForOneFileOnly() async throws {
    let lost = try await writes(compacting: false)
    let copy = try lost.ledger()
    let file = URL(fileURLWithPath: copy.path + "/generation-000001/data.mdb")
    let before = try Data(contentsOf: file)
    let ledger = try await copy.open()
    _ = try await ledger.createPromise(of: Bool.self)
    await ledger.close()
    try before.write(to: file)
    #expect(throws: LedgerError.self) { try BlockingInspector(at: copy.path) }
    try before.write(to: file, options: .atomic)
    let inspector = try BlockingInspector(at: copy.path)
    #expect(try inspector.head == Truth(lost.temporary.path).head)
  }

  /// Commits of all sizes, with a copy of the file after each.
  private func writes(compacting: Bool) async throws -> LostWrites {
    var lost = try LostWrites()
    let ledger = try await lost.temporary.open(
      configuration: CompactionSample.configuration())
    for number in 0..<48 {
      try await CompactedLedger.add(number, to: ledger)
      try lost.look()
      if compacting, number % 16 == 11 {
        _ = try await ledger.compact(
          number < 16 ? CompactionSample.everything : CompactionSample.events)
        try lost.look()
      }
    }
    // Single commits at the end, so that the content of each meta page before its last write is
    // known.
    for _ in 0..<2 {
      _ = try await ledger.createPromise(of: Bool.self)
      try lost.look()
    }
    await ledger.close()
    try lost.look()
    return lost
  }

  /// - Returns: How many versions were refused when they were opened for writing.
  private func check(_ lost: LostWrites) async throws -> [LedgerConfiguration.PageCheck: Int] {
    let whole = try lost.ledger()
    let truth = try Truth(whole.path)
    var problems: [String] = []
    var refusedCounts: [LedgerConfiguration.PageCheck: Int] = [:]
    let versions = lost.chosenVersions
    for version in versions {
      let copy = try lost.ledger(with: version)
      problems += reading(copy, truth).map { "\(version): \($0)" }
      // Without a check of all pages, LMDB may end the process on a page of another kind.
      let isAlike = lost.isLogLeaf(version)
      for pageCheck in isAlike ? [LedgerConfiguration.PageCheck.never, .always] : [.always] {
        do {
          let copy = try lost.ledger(with: version)
          problems += try await writing(copy, truth, pageCheck).map { "\(version): \($0)" }
        } catch {
          refusedCounts[pageCheck, default: 0] += 1
          if (error as? LedgerError)?.code != .corrupt { problems.append("\(version): \(error)") }
        }
      }
    }
    print("\(versions.count) of \(lost.versions.count) older versions of pages")
    print("refused for writing: \(refusedCounts)")
    #expect(problems == [])
    #expect(refusedCounts[.always, default: 0] > 0)
    return refusedCounts
  }

  /// The silent errors of the reading functions.
  private func reading(_ copy: TemporaryLedger, _ truth: Truth) -> [String] {
    guard let inspector = accept({ try BlockingInspector(at: copy.path) }) else { return [] }
    defer { inspector.close() }
    var problems: [String] = []
    func compare(_ what: String, _ isTrue: () throws -> Bool) {
      if accept(isTrue) == false { problems.append("\(what) is another") }
    }
    compare("the head") { try inspector.head == truth.head }
    compare("the list of events") { try inspector.allEvents() == truth.events }
    compare("the archive") { try inspector.archive() == truth.archive }
    compare("the digest") { try inspector.logDigest() == truth.digest }
    compare("the head of the statistics") { try inspector.statistics().head == truth.head }
    return problems
  }

  /// The fate of the events when the ledger is opened for writing and written to.
  private func writing(
    _ copy: TemporaryLedger, _ truth: Truth, _ pageCheck: LedgerConfiguration.PageCheck
  ) async throws -> [String] {
    var configuration = CompactionSample.configuration()
    configuration.pageCheck = pageCheck
    let ledger = try await copy.open(configuration: configuration)
    var failure: (any Error)?
    do {
      _ = try await ledger.createPromise(of: Bool.self)
    } catch {
      failure = error
    }
    await ledger.close()
    if let failure { throw failure }
    let events = try BlockingInspector(at: copy.path).allEvents()
    guard Array(events.prefix(truth.events.count)) == truth.events else {
      return ["acknowledged events were lost by writing on"]
    }
    return []
  }

  /// The result, or `nil` if it is refused as damage.
  private func accept<R>(_ body: () throws -> R) -> R? {
    do {
      return try body()
    } catch let error as LedgerError where error.code == .corrupt {
      return nil
    } catch {
      Issue.record("another error than damage: \(error)")
      return nil
    }
  }
}
