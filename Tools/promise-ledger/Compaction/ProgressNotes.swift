import PromiseLedger

/// Turns the steps of a compaction into some lines for people: about ten a phase.
struct ProgressNotes {
  private var phase: CompactionProgress.Phase?
  private var lastTenth = 0
  private var lastDone = 0

  /// What is to be said about a step, if anything.
  mutating func note(_ progress: CompactionProgress) -> String? {
    guard progress.total > 0 else { return nil }
    let tenth = 10 * progress.done / progress.total
    // Where more comes than was known, or nothing is known, a line tells of twice as much as the last.
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
    // How many there are is not known before.
    case .deleting: "Deleted \(progress.done) events."
    }
  }
}
