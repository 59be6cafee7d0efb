import LedgerLMDB
import LedgerSystem

/// Saves what is intact of a damaged ledger, into a new one.
///
/// The files of the damaged ledger are only read, and without LMDB, so no damage can end the process. Every event is
/// found whose frame has a valid checksum, even if nothing leads to it any more.
///
/// A ledger has no gaps. So the new one holds the longest state that can be replayed: the events up to the
/// first loss, or those that follow an intact snapshot. All other intact events, and intact records if the
/// snapshot is of no use, go into a file of loose events beside it, lines of JSON as in an archive, of which no
/// ledger can be made.
public struct LedgerSalvage: Sendable {
  /// Makes a salvage.
  public init() {}

  /// Makes a new ledger of what is intact.
  ///
  /// The new ledger appears at its path only once it is complete, verified and durable. If every event after
  /// the snapshot is lost, the new ledger has a session of the role `operator` and the instance `salvage`
  /// in their place. The file of loose events has the path of the new ledger with `.loose.jsonl` appended.
  /// Positions after the last saved event are used again. No process should have the damaged ledger open.
  ///
  /// - Parameters:
  ///   - path: The directory of the new ledger, outside the damaged one. It must be missing or empty.
  ///   - damaged: The directory of the damaged ledger.
  /// - Throws: ``LedgerError`` with `alreadyExists`, `invalidArgument`, `notFound`, `permissionDenied`,
  ///   `diskFull`, `ioFailure` about the paths; with `notALedger` if there are no files of a ledger; with
  ///   `incompatibleFormat` for a newer one.
  /// - Complexity: O(size of the data file) in time; O(frames + records) in memory.
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at path: String, from damaged: String
  ) throws(LedgerError) -> SalvageReport {
    do {
      return try makeLedger(at: path, from: damaged) {}
    } catch {
      throw LedgerError.mappingAll(error)
    }
  }

  /// Makes a new ledger, as ``makeLedger(at:from:)`` does.
  ///
  /// - Parameter tick: Called now and then; an error ends the salvage.
  /// - Throws: As ``makeLedger(at:from:)``, and any error of `tick`.
  @available(*, noasync, message: "blocks the thread for long")
  package func makeLedger(
    at path: String, from damaged: String, _ tick: () throws -> Void
  ) throws -> SalvageReport {
    let source = try LedgerDirectory(checking: damaged)
    let target = try LedgerDirectory(checking: path)
    let generation = try source.salvagedGeneration(tick)
    try source.checkPlace(ofCopy: target, "A salvage")
    return try withoutActuallyEscaping(tick) { tick in
      var run = try SalvageRun(source, generation, target, tick)
      return try run.run()
    }
  }
}

extension LedgerDirectory {
  /// The generation to save: the one in use, or the newest one if that is unknown or CURRENT is older.
  ///
  /// - Parameter tick: Called now and then; an error ends the search.
  fileprivate func salvagedGeneration(_ tick: () throws -> Void) throws -> String {
    let (current, failure) = try currentGeneration()
    let newestFirst = ((try? FileSystem.list(path)) ?? []).filter { name in
      Self.generationNumber(name) != nil && hasDataFile(name)
    }.sorted { number(of: $0) > number(of: $1) }
    if let current {
      for name in newestFirst where number(of: name) > number(of: current) {
        if try isSealed(name, tick) == false { return name }
      }
      if hasDataFile(current) { return current }
    }
    // A shrink seals the older files once the newer ones are complete, and the newer ones until they are in use.
    for name in newestFirst {
      if try isSealed(name, tick) != true { return name }
    }
    guard let newest = newestFirst.first else { throw failure }
    return newest
  }

  /// The generation that CURRENT names, if it does, and the error if there is nothing to save.
  private func currentGeneration() throws(LedgerError) -> (name: String?, failure: LedgerError) {
    do throws(LedgerError) {
      let name = try readCurrentGeneration()
      let failure = LedgerError(
        .notALedger, "\(path) has no data file. Give the path of a damaged ledger.")
      return (name, failure)
    } catch {
      guard error.code == .corrupt || error.code == .notALedger else { throw error }
      return (nil, error)
    }
  }

  private func number(of generation: String) -> UInt64 { Self.generationNumber(generation) ?? 0 }

  private func hasDataFile(_ generation: String) -> Bool {
    (try? FileSystem.kind(self.generation(generation) + "/data.mdb")) == .file
  }

  /// Whether a generation is sealed, according to what is intact of its data file; `nil` if that does not tell.
  private func isSealed(_ generation: String, _ tick: () throws -> Void) throws -> Bool? {
    let path = self.generation(generation) + "/data.mdb"
    guard let data = try? RandomAccessFile(path), let pages = try? ReachablePages(ofFileAt: path)
    else { return nil }
    var scan = FileScan(data, pages)
    let records = try scan.run(tick).metadata
    if let live = records.last(where: { $0.isLive }) { return live.record.isSealed }
    return records.isEmpty ? nil : records.allSatisfy { $0.record.isSealed }
  }
}

/// One salvage.
private struct SalvageRun {
  /// The number of times that the events after one that cannot be replayed are left out.
  private static let maximumCutCount = 16

  private var file: SalvagedFile
  private let target: LedgerDirectory
  private let loosePath: String
  private let tick: () throws -> Void
  private let acknowledged: Position?
  private var lostValues: Set<Position> = []
  private var report = SalvageReport()

  init(
    _ source: LedgerDirectory, _ generation: String, _ target: LedgerDirectory,
    _ tick: @escaping () throws -> Void
  ) throws {
    self.target = target
    loosePath = try LedgerPlace.namedPath(target.path) + ".loose.jsonl"
    self.tick = tick
    let path = source.generation(generation) + "/data.mdb"
    let data = try LedgerError.system("The damaged data file cannot be read.") {
      () throws(SystemError) in try RandomAccessFile(path)
    }
    let pages = try ReachablePages(ofFileAt: path)
    var scan = FileScan(data, pages)
    let found = try scan.run(tick)
    if let refusal = found.refusal { throw refusal }
    let metadata = (found.metadata.last { $0.isLive } ?? found.metadata.last)?.record
    let mark = try metadata.map { (metadata) throws(LedgerError) in
      try AcknowledgedMark(of: metadata.ledgerID, in: source, generation: generation)
    }
    acknowledged = mark?.position(inFile: source.wake)
    file = SalvagedFile(
      found, of: data, isWhole: pages.isWhole, acknowledged: acknowledged)
  }

  mutating func run() throws -> SalvageReport {
    let metadata = try metadata()
    report.ledgerID = metadata?.ledgerID
    try findLostValues()
    noteLosses()
    if let metadata {
      for plan in try SalvagePlanner(file: file, lostValues: lostValues, tick: tick).plans() {
        if try construct(plan, metadata) { return report }
      }
    }
    report.isSnapshotLost = file.hasSnapshot(after: .start)
    let loose = LooseFile(file: file, plan: nil, lostValues: lostValues)
    if try loose.isNeeded() {
      try loose.write(to: loosePath, of: report.ledgerID, &report, tick)
    }
    return report
  }

  /// The ledger's record of itself, or what other places say.
  private func metadata() throws -> LedgerMetadata? {
    if var metadata = file.metadata {
      metadata.generation = 1
      metadata.isSealed = false
      return metadata
    }
    if let first = file.frames.first, first.header.firstPosition.rawValue == 1,
      let event = try file.events(of: first).first, event.view.kind == .ledgerCreated
    {
      return LedgerMetadata(
        ledgerID: LedgerID(entityID: event.view.subject), createdAt: event.view.time)
    }
    let summary = file.summaries.first { $0.ledgerID != nil }
    return summary.flatMap { summary in
      summary.ledgerID.map { LedgerMetadata(ledgerID: $0, createdAt: summary.time) }
    }
  }

  private mutating func findLostValues() throws {
    var lost: [AttachmentReference] = []
    for frame in file.frames {
      try tick()
      for event in try file.events(of: frame) {
        guard let reference = AttachmentReference(event.view), file.attachment(reference) == nil
        else { continue }
        lost.append(reference)
      }
    }
    guard !lost.isEmpty else { return }
    try file.search(for: lost, tick)
    lostValues = Set(lost.filter { file.attachment($0) == nil }.map(\.position))
    report.lostValues = lostValues.sorted()
  }

  /// Notes the gaps between the events, from the first that should be there.
  private mutating func noteLosses() {
    let newest = file.summaries.first
    var next = (newest?.deletedThrough ?? .start).advanced(by: 1)
    for frame in file.frames {
      if frame.header.firstPosition > next {
        let last = Position(rawValue: frame.header.firstPosition.rawValue - 1)
        report.lostEvents.append(next...last)
      }
      next = max(next, frame.header.lastPosition.advanced(by: 1))
    }
    let end = max(acknowledged ?? .start, newest?.position ?? .start)
    if end >= next { report.lostEvents.append(next...end) }
  }

  /// Makes the ledger of a plan, or of as much of it as can be replayed.
  ///
  /// - Returns: Whether it was made.
  private mutating func construct(_ plan: SalvagePlan, _ metadata: LedgerMetadata) throws -> Bool {
    var plan = plan
    for _ in 0..<Self.maximumCutCount {
      var contradiction: Position?
      do {
        try construct(plan, metadata, &contradiction)
        return true
      } catch let error as LedgerError where error.code == .corrupt {
        guard let position = contradiction, let cut = plan.cut(before: position) else {
          return false
        }
        plan = cut
      }
    }
    return false
  }

  /// - Parameter contradiction: Receives the position of the first event that cannot be replayed.
  private mutating func construct(
    _ plan: SalvagePlan, _ metadata: LedgerMetadata, _ contradiction: inout Position?
  ) throws {
    let loose = LooseFile(file: file, plan: plan, lostValues: lostValues)
    let construction = SalvageConstruction(
      file: file, plan: plan, metadata: metadata, tick: tick)
    var made = report
    do {
      try LMDBEventStore.construct(target, metadata: metadata) { environment in
        made.eventCount = try construction.fill(LMDBConstruction(environment))
      } check: { directory in
        try NewLedgerCheck.verify(
          directory, refusing: "The saved events contradict each other", advice: "",
          at: &contradiction, tick)
        if try loose.isNeeded() {
          try loose.write(to: loosePath, of: metadata.ledgerID, &made, tick)
        }
      }
    } catch let error as LedgerError where error.code == .alreadyExists {
      throw LedgerError.copyExists(at: target.path, "A salvage")
    }
    made.hasLedger = true
    made.position = plan.end
    made.recordCount = plan.snapshot?.recordIDs.count ?? 0
    if let snapshot = plan.snapshot {
      made.lostRecordCount = snapshot.lostCount
      made.isSnapshotLost = false
    } else {
      // The events make the same state again.
      made.isSnapshotLost = file.hasSnapshot(after: plan.end)
    }
    report = made
  }
}
