package import LedgerRuntime

/// Turns the steps of a compaction into some lines for people: about ten a phase.
package struct ProgressNotes {
  private var phase: CompactionProgress.Phase?
  private var lastTenth = 0
  private var lastDone = 0

  package init() {}

  /// The message about a step, if it is worth one.
  package mutating func note(_ progress: CompactionProgress) -> String? {
    guard progress.total > 0 else { return nil }
    let tenth = 10 * progress.done / progress.total
    // If there is more than expected, or the total is unknown, there is a line each time the count
    // has doubled.
    let isNews =
      progress.phase != phase || tenth > lastTenth
      || lastTenth == 10 && progress.done >= 2 * lastDone
    guard isNews else { return nil }
    phase = progress.phase
    lastTenth = tenth
    lastDone = progress.done
    return switch progress.phase {
    case .folding: "Folded \(progress.done) of \(progress.total) events."
    case .removing: "Removed \(progress.done) of \(progress.total) records."
    case .archiving: "Archived \(progress.done) of \(progress.total) events."
    // Their number is not known beforehand.
    case .deleting: "Deleted \(progress.done) events."
    }
  }
}
