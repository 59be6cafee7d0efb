import LedgerSystem

extension BlockingInspector {
  /// Records the history of the ledger in a file.
  ///
  /// It sees the ledger as it was when it began. The file appears under its name only when it is complete.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which must not exist.
  ///   - redactor: Replaces values and texts; `nil` to record them as they are.
  ///   - tick: Called periodically. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `alreadyExists` if something is there; with `unsupportedEvent` if
  ///   something of a later version cannot be redacted: update; with `corrupt`, `notFound`,
  ///   `permissionDenied`, `diskFull`, `ioFailure`; with `closed`.
  /// - Complexity: O(events that are kept); with a redactor, the copy is made in memory.
  package func record(
    to path: String, redactedBy redactor: Redactor? = nil, tick: () -> Void = {}
  ) throws -> ArchiveSummary {
    do {
      var file = try AtomicFile(path)
      let summary = try record(redactedBy: redactor, tick: tick) { try file.write($0) }
      try file.finishExclusively()
      return summary
    } catch let error as SystemError {
      guard error.code == .exists else { throw LedgerError.recordingNotWritten(path, error) }
      throw LedgerError.somethingIs(atRecording: path)
    }
  }

  /// Records the history of the ledger, piece by piece.
  package func record(
    redactedBy redactor: Redactor? = nil, tick: () -> Void = {}, _ sink: ([UInt8]) throws -> Void
  ) throws -> ArchiveSummary {
    guard let redactor else { return try record(isRedacted: false, tick, sink) }
    return try redacted(by: redactor, tick: tick).record(isRedacted: true, tick, sink)
  }

  private func record(
    isRedacted: Bool, _ tick: () -> Void, _ sink: ([UInt8]) throws -> Void
  ) throws -> ArchiveSummary {
    try store.withPinnedView { log in
      var states = try RecordedStates(of: log, isRedacted: isRedacted)
      var recording: ArchiveRecording?
      while recording == nil {
        recording = try states.next(from: log)
        tick()
      }
      var writer = ArchiveWriter(
        of: id, createdAt: createdAt, try log.snapshotSummary(), through: states.end,
        recording: recording)
      while let piece = try writer.next(from: log) {
        try sink(piece)
        tick()
      }
      return try writer.finished
    }
  }
}

extension LedgerError {
  fileprivate static func somethingIs(atRecording path: String) -> LedgerError {
    LedgerError(
      .alreadyExists,
      "Something exists at \(path) already. Give a path where nothing exists; a recording never overwrites anything."
    )
  }
}
