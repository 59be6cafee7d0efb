import Foundation
import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The salvage of damaged ledgers.
@Suite(.timeLimit(.minutes(30)))
struct SalvageTests {
  /// One damaged copy of each kind of ledger for each seed; with `LEDGER_TEST_FACTOR=17` more than 2,000 in all.
  private static let seeds = TestAmount.seeds(40)

  /// A damaged copy of a ledger, and the place of its salvage.
  private struct Copy {
    let temporary: TemporaryLedger
    var path: String { temporary.path }
    var target: String { temporary.path + ".saved" }

    init(_ file: [UInt8]) throws {
      temporary = try TemporaryLedger(in: Scratch.path)
      try FileSystem.createDirectory(path)
      try FileSystem.createDirectory(path + "/generation-000001")
      try FileSystem.writeAtomically(Array("generation-000001\n".utf8), to: path + "/CURRENT")
      let data = FileManager.default.createFile(
        atPath: IntactOracle.dataFile(path), contents: Data(file))
      if !data { throw CocoaError(.fileWriteUnknown) }
    }

    func salvage() throws -> SalvageReport {
      try LedgerSalvage().makeLedger(at: target, from: path)
    }

    /// The lines of all events that were saved.
    func lines(_ report: SalvageReport) throws -> (
      ledger: [UInt64: String], loose: [UInt64: String]
    ) {
      let ledger =
        report.hasLedger
        ? IntactOracle.lines(of: try BlockingInspector(at: target).archive()) : [:]
      let loose = try report.looseFile.map {
        IntactOracle.lines(of: Array(try Data(contentsOf: URL(fileURLWithPath: $0))))
      }
      return (ledger, loose ?? [:])
    }
  }

  // MARK: Many damaged copies

  enum Kind: CaseIterable { case events, folded, deleted }

  @Test(arguments: Kind.allCases)
  func everyIntactEventIsSaved(kind: Kind) async throws {
    let ledger: CompactedLedger =
      switch kind {
      case .events: try await CompactedLedger([])
      case .folded: try await CompactedLedger([.foldOnly])
      case .deleted: try await CompactedLedger([CompactionSample.everything])
      }
    let oracle = try IntactOracle(ledger.path)
    var (ledgers, complete) = (0, 0)
    for seed in Self.seeds {
      var damage = FileDamage(seed: seed)
      let file = damage.apply(to: oracle.file)
      let copy = try Copy(file)
      let report = try copy.salvage()
      ledgers += report.hasLedger ? 1 : 0
      complete += report.isComplete ? 1 : 0
      let problems = try Self.problems(of: report, copy, file, oracle)
      #expect(problems.isEmpty, "\(kind), seed \(seed): \(damage)")
    }
    print("\(kind): \(ledgers) ledgers of \(Self.seeds.count) copies, \(complete) without a loss")
  }

  private static func problems(
    of report: SalvageReport, _ copy: Copy, _ file: [UInt8], _ oracle: IntactOracle
  ) throws -> [String] {
    var problems: [String] = []
    let (ledger, loose) = try copy.lines(report)
    let intact = oracle.intactEvents(in: file)
    let lostValues = oracle.lostValues(in: file)
    for position in intact.sorted() {
      let expected = oracle.lines[position]
      if lostValues.contains(position) {
        let isNoted = report.lostValues.contains(Position(rawValue: position))
        if !isNoted || loose[position] == nil && ledger[position] == nil {
          problems.append("the lost value at \(position) is not noted")
        }
      } else if ledger[position] != expected, loose[position] != expected {
        problems.append("\(position) is lost")
      }
    }
    for (position, line) in ledger.merging(loose, uniquingKeysWith: { left, _ in left }) {
      guard line != oracle.lines[position], position > oracle.deletedThrough,
        !lostValues.contains(position), !(report.eventCount == 0 && ledger[position] == line)
      else { continue }
      problems.append("\(position) was never stored")
    }
    for position in lostPositions(report) where intact.contains(position) {
      problems.append("\(position) is said to be lost")
    }
    if report.hasLedger {
      _ = try BlockingInspector(at: copy.target).verify { finding in
        if finding.severity == .corrupt { problems.append("\(finding)") }
      }
    }
    return problems
  }

  private static func lostPositions(_ report: SalvageReport) -> [UInt64] {
    report.lostEvents.flatMap { Array($0.lowerBound.rawValue...$0.upperBound.rawValue) }
  }

  // MARK: Single cases

  @Test func anIntactLedgerIsSavedWhole() async throws {
    for policies in [[], [CompactionPolicy.foldOnly], [CompactionSample.everything]] {
      let ledger = try await CompactedLedger(policies)
      let copy = try Copy(try IntactOracle(ledger.path).file)
      let report = try copy.salvage()
      #expect(report.isComplete && report.hasLedger && report.looseFile == nil)
      let (original, saved) = (
        try BlockingInspector(at: ledger.path), try BlockingInspector(at: copy.target)
      )
      #expect(try saved.replay().digest() == original.replay().digest())
      #expect(try saved.logDigest() == original.logDigest())
      #expect(try saved.id == original.id && saved.head == original.head)
    }
  }

  @Test func theSalvageOfADamagedLedgerCanBeOpenedAndUsed() async throws {
    let ledger = try await CompactedLedger([CompactionSample.everything])
    let oracle = try IntactOracle(ledger.path)
    var file = oracle.file
    // Every frame of the log is gone, and with it every event after the snapshot.
    for place in oracle.frames.flatMap(\.places) { file[place] ^= 1 }
    let copy = try Copy(file)
    let report = try copy.salvage()
    #expect(report.hasLedger && report.eventCount == 0 && !report.isSnapshotLost)
    let opened = try await Ledger.open(at: copy.target, as: .app)
    let large = try await opened.findOrCreatePromise(
      key: try PromiseKey("large"), of: String.self)
    #expect(try await large.consume() == String(repeating: "y", count: 9_000))
    await opened.close()
  }

  @Test func eventsAfterAContradictionAreLoose() throws {
    var crafted = try CraftedLedger()
    try crafted.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
    ])
    let promise = PromiseID.numbered(1).entityID
    try crafted.commit([.of(PromiseCreated(typeTag: "text", key: "other"), on: promise)])
    try crafted.commit([.of(PromiseCreated(typeTag: "text"), on: PromiseID.numbered(2).entityID)])
    let target = crafted.path + ".saved"
    let report = try LedgerSalvage().makeLedger(at: target, from: crafted.path)
    #expect(report.hasLedger && report.position == Position(rawValue: 2))
    #expect(report.lostEvents == [] && report.looseEventCount == 2)
    #expect(!report.isComplete)
  }

  @Test func lostRecordsOfEveryTypeAreCounted() throws {
    var summary = SnapshotSummary()
    summary.position = Position(rawValue: 9)
    for type in [.promise, .session, .handler, .extendedPromise, .extendedPromise] as [RecordType] {
      summary.counts.add(type, byteCount: 1)
    }
    summary.counts.tombstones = 1
    summary.stateDigest.addTombstone(.numbered(1))
    let directory = try TemporaryDirectory(in: Scratch.path)
    defer { withExtendedLifetime(directory) {} }
    let path = directory.path + "/data.mdb"
    try FileSystem.writeAtomically([0], to: path)
    let file = SalvagedFile(
      FoundValues(), of: try RandomAccessFile(path), isWhole: false, acknowledged: nil)
    let snapshot = try SalvagedSnapshot(summary, of: file, onlyLive: false) {}
    #expect(snapshot.lostCount == 6)
  }

  @Test func placesThatCannotBeUsedAreRefused() async throws {
    let ledger = try await CompactedLedger([])
    for (target, code) in [
      (ledger.path + "/saved", LedgerError.Code.invalidArgument),
      (ledger.path + "/sessions/saved", .invalidArgument), (ledger.path, .alreadyExists),
      (ledger.path + "-none/saved", .notFound), ("", .invalidArgument),
    ] {
      let error = #expect(throws: LedgerError.self) {
        try LedgerSalvage().makeLedger(at: target, from: ledger.path)
      }
      #expect(error?.code == code, "\(target)")
    }
    #expect(throws: LedgerError.self) {
      try LedgerSalvage().makeLedger(at: ledger.path + ".saved", from: ledger.path + ".none")
    }
  }
}
