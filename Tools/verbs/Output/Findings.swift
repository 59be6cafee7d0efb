/// The findings that need attention.
struct Findings {
  private var unknownCount = 0
  private var damagedCount = 0

  mutating func count(_ problem: EventDetails.Problem?) {
    switch problem {
    case .unknown: unknownCount += 1
    case .damaged: damagedCount += 1
    case nil: break
    }
  }

  /// Ends the command with the worst finding.
  func throwIfAny() throws {
    if damagedCount > 0 {
      throw Status.Failure(.corrupt, "Events whose payload is damaged: \(damagedCount).")
    }
    if unknownCount > 0 {
      throw Status.Failure(
        .findings,
        "Events of a kind or version that this build does not know: \(unknownCount). Update the tool."
      )
    }
  }
}
