import PromiseLedger

extension LedgerInspector {
  private static let attemptCount = 5

  /// Reads in one piece what a compaction can take away half-way, and then reads it again.
  ///
  /// - Throws: ``Status/Failure/compactedMeanwhile`` if that happens again and again.
  func retryingWhileCompacted<R>(_ read: () throws -> R) throws -> R {
    for _ in 0..<Self.attemptCount {
      do {
        return try read()
      } catch let error as LedgerError where error.code == .eventsCompacted {
        continue
      }
    }
    throw Status.Failure.compactedMeanwhile
  }
}
