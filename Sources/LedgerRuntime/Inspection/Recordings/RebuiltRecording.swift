/// A recording, rebuilt as a ledger in memory.
package struct RebuiltRecording: Sendable {
  package let ledger: InMemoryLedger
  package let metadata: LedgerMetadata
  /// The digests of states; `nil` if the file is an archive without them.
  package let recording: ArchiveRecording?
  package let summary: ArchiveSummary

  /// Reads a recording, or any archive that makes a whole ledger.
  ///
  /// - Throws: The errors of `LedgerImport.makeLedger(at:from:)` about the archive.
  /// - Complexity: O(archive) in time and memory.
  package init(_ path: String, as importer: LedgerImport = LedgerImport()) throws(LedgerError) {
    let construction = InMemoryConstruction()
    var metadata: LedgerMetadata?
    var recording: ArchiveRecording?
    summary = try importer.assemble([path], &recording) {
      (made, fill) throws(LedgerError) in
      metadata = made
      try fill(construction)
    }
    guard let metadata else {
      throw LedgerError(.internalInconsistency, "A ledger was rebuilt without its metadata.")
    }
    (ledger, self.metadata, self.recording) = (construction.ledger, metadata, recording)
  }

  package init(
    _ ledger: InMemoryLedger, _ metadata: LedgerMetadata, _ recording: ArchiveRecording?,
    _ summary: ArchiveSummary
  ) {
    (self.ledger, self.metadata) = (ledger, metadata)
    (self.recording, self.summary) = (recording, summary)
  }

  /// The recording as it would have been after the commit that ended at a position.
  ///
  /// - Throws: `invalidArgument` if no commit ended there, or later events are in the snapshot.
  package func cut(after position: Position) throws(LedgerError) -> RebuiltRecording {
    var shorter = recording
    shorter?.states.removeAll { $0.position > position }
    return RebuiltRecording(try ledger.cut(after: position), metadata, shorter, summary)
  }

  /// The bytes of the recording.
  ///
  /// If it was cut where no digest was recorded, that of this build is added.
  package func bytes() throws(LedgerError) -> [UInt8] {
    let head = ledger.head()
    var recording = recording ?? ArchiveRecording(isRedacted: false)
    if recording.states.last?.position != head {
      let digest = try LedgerState.replayed(from: ledger).digest()
      recording.states.append(ArchivedState(position: head, digest: digest))
    }
    var writer = ArchiveWriter(
      of: metadata.ledgerID, createdAt: metadata.createdAt, try ledger.snapshotSummary(),
      through: head, recording: recording)
    var bytes: [UInt8] = []
    while let piece = try writer.next(from: ledger) { bytes += piece }
    return bytes
  }
}
