import PromiseLedger

/// Turns the steps of a shrink into a line for people for each phase.
struct ShrinkNotes {
  private var phase: ShrinkProgress.Phase?

  /// The message about a step, if it is worth one.
  mutating func note(_ progress: ShrinkProgress) -> String? {
    guard progress.phase != phase else { return nil }
    phase = progress.phase
    return switch progress.phase {
    case .checking: "Checking the data file."
    case .copying: "Copying the data."
    case .verifying: "Verifying the copy of \(progress.copiedByteCount) bytes."
    default: "Moving the ledger."
    }
  }
}
