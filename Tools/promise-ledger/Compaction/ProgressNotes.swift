import PromiseLedger

/// Turns the steps of a compaction into some lines for people: at most about ten a phase.
struct ProgressNotes {
  private var phase: CompactionProgress.Phase?
  private var lastTenth = 0

  /// What is to be said about a step, if anything.
  mutating func note(_ progress: CompactionProgress) -> String? {
    let tenth = progress.total > 0 ? 10 * progress.done / progress.total : 10
    let isNews = progress.phase != phase || tenth > lastTenth || progress.phase == .deleting
    guard isNews else { return nil }
    phase = progress.phase
    lastTenth = tenth
    return switch progress.phase {
    case .folding: "Folded \(progress.done) of \(progress.total) events."
    case .removing: "Removed \(progress.done) of \(progress.total) records."
    case .archiving: "Archived \(progress.done) of \(progress.total) events."
    // How many there are is not known before.
    case .deleting: "Deleted \(progress.done) events."
    }
  }
}
