/// The findings of a verification that are not reported yet.
final class Findings {
  private(set) var corruptCount = 0
  private(set) var unsupportedCount = 0
  private var waiting: [VerificationFinding] = []

  func add(_ message: String, at position: Position? = nil, subject: EntityID? = nil) {
    add(VerificationFinding(message, at: position, subject: subject))
  }

  /// Adds the error that made a record or a frame unreadable.
  func add(_ error: LedgerError, at position: Position? = nil, subject: EntityID? = nil) {
    add(
      VerificationFinding(
        error.message, at: position, subject: subject,
        severity: error.code == .corrupt ? .corrupt : .unsupported))
  }

  func add(_ finding: VerificationFinding) {
    waiting.append(finding)
    switch finding.severity {
    case .corrupt: corruptCount += 1
    case .unsupported: unsupportedCount += 1
    }
  }

  /// Returns the findings since the last call.
  func take() -> [VerificationFinding] {
    defer { waiting = [] }
    return waiting
  }
}
