import LedgerSystem

/// The file of everything that was saved and that the new ledger does not hold.
struct LooseFile {
  let file: SalvagedFile
  /// The plan of the new ledger; `nil` if none can be made.
  let plan: SalvagePlan?
  let lostValues: Set<Position>

  /// The events that the ledger does not hold, frame by frame.
  private func forEachEvent(_ body: (StoredEvent) throws -> Void) throws {
    for frame in file.frames {
      if let plan, frame.header.firstPosition > plan.base.position,
        frame.header.lastPosition <= plan.end
      {
        continue
      }
      for event in try file.events(of: frame) {
        if let plan, event.position > plan.base.position, event.position <= plan.end { continue }
        try body(event)
      }
    }
  }

  /// Whether there is anything to write.
  ///
  /// - Throws: `SystemError` or `corrupt` if what was found before can no longer be read.
  func isNeeded() throws -> Bool {
    struct Found: Error {}
    do {
      try forEachEvent { _ in throw Found() }
    } catch is Found {
      return true
    }
    return needsRecords
  }

  /// Whether the ledger lacks the state of a snapshot, so that its records are saved here.
  private var needsRecords: Bool {
    guard !file.recordIDs.isEmpty, let plan else { return !file.recordIDs.isEmpty }
    return plan.snapshot == nil && file.hasSnapshot(after: plan.end)
  }

  /// Writes the file.
  ///
  /// - Throws: `alreadyExists` if another file has the path.
  func write(
    to path: String, of ledgerID: LedgerID?, _ report: inout SalvageReport,
    _ tick: () throws -> Void
  ) throws {
    do {
      // Of an earlier salvage that was killed.
      try? AtomicFile.removeUnfinished(in: FileSystem.parent(of: path)) {
        $0 == FileSystem.lastComponent(of: path)
      }
      var output = try AtomicFile(path)
      var excerpt = ExcerptWriter()
      try output.write(excerpt.header(of: ledgerID, .salvage))
      if needsRecords {
        for id in file.recordIDs {
          guard let entity = file.record(id, through: .greatest, onlyLive: false) else { continue }
          try tick()
          try output.write(
            excerpt.record(id, SnapshotRecord.Stored(type: entity.type, content: entity.content)))
          for owned in entity.attachments.sorted(by: { $0.position < $1.position }) {
            guard let content = file.attachment(owned) else { continue }
            try output.write(excerpt.attachment(content, at: owned.position))
          }
        }
      }
      try forEachEvent { event in
        try tick()
        let attachment = AttachmentReference(event.view).map { file.attachment($0) } ?? []
        try output.write(excerpt.event(event, attachment: attachment))
      }
      try output.write(excerpt.end())
      try output.finishExclusively()
      report.looseFile = path
      report.looseEventCount = excerpt.eventCount
      report.looseRecordCount = excerpt.recordCount
    } catch let error as SystemError {
      if error.code == .exists { throw LedgerError.copyExists(at: path, "A salvage") }
      throw LedgerError(error, "The file of loose events cannot be written.")
    }
  }
}

extension Position {
  fileprivate static let greatest = Position(rawValue: .max)
}
