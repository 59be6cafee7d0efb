/// Tells the caller of a shrink how it goes on, and ends it if the caller no longer wants it.
final class ShrinkTicker {
  private var progress = ShrinkProgress(phase: .checking, copiedByteCount: 0)
  private let report: (ShrinkProgress) -> Void
  private let check: () throws -> Void

  /// - Parameters:
  ///   - check: Called now and then; an error ends the shrink.
  ///   - report: Receives the progress.
  init(check: @escaping () throws -> Void, report: @escaping (ShrinkProgress) -> Void) {
    self.check = check
    self.report = report
  }

  func begin(_ phase: ShrinkProgress.Phase) throws {
    progress = ShrinkProgress(phase: phase, copiedByteCount: progress.copiedByteCount)
    try tick()
  }

  func copied(_ byteCount: Int) throws {
    progress = ShrinkProgress(
      phase: progress.phase, copiedByteCount: progress.copiedByteCount + byteCount)
    try tick()
  }

  func tick() throws {
    try check()
    report(progress)
  }
}
