/// The verification of a ledger that was made from other data, before it is moved to its place.
enum NewLedgerCheck {
  /// Verifies a ledger that no process has open.
  ///
  /// - Parameters:
  ///   - refusal: The beginning of the message about an inconsistent ledger, a clause.
  ///   - advice: What to do then, a sentence.
  ///   - tick: Called now and then; an error ends the check.
  /// - Throws: `corrupt` at the first finding. Events of newer builds are acceptable.
  @discardableResult
  static func verify(
    _ directory: LedgerDirectory, refusing refusal: String, advice: String,
    _ tick: () throws -> Void = {}
  ) throws -> VerificationSummary {
    var position: Position?
    return try verify(directory, refusing: refusal, advice: advice, at: &position, tick)
  }

  /// Verifies new files of a ledger, as ``verify(_:refusing:advice:_:)`` does, and closes the inspection.
  static func verify(
    _ inspection: LMDBInspection, refusing refusal: String, advice: String,
    _ tick: () throws -> Void
  ) throws {
    var position: Position?
    try verify(inspection, refusing: refusal, advice: advice, at: &position, tick)
  }

  /// Verifies a ledger, as ``verify(_:refusing:advice:_:)`` does.
  ///
  /// - Parameter position: Receives the position of the first finding.
  @discardableResult
  static func verify(
    _ directory: LedgerDirectory, refusing refusal: String, advice: String,
    at position: inout Position?, _ tick: () throws -> Void
  ) throws -> VerificationSummary {
    try verify(
      LMDBInspection(of: directory, locking: false), refusing: refusal, advice: advice,
      at: &position, tick)
  }

  @discardableResult
  private static func verify(
    _ inspection: LMDBInspection, refusing refusal: String, advice: String,
    at position: inout Position?, _ tick: () throws -> Void
  ) throws -> VerificationSummary {
    let inspector = BlockingInspector(inspection)
    defer { inspector.close() }
    return try inspector.verify { _ in
      try tick()
    } _: { finding in
      guard finding.severity == .corrupt else { return }
      position = finding.position
      let place = finding.position.map { " (position \($0))" } ?? ""
      let subject = finding.subject.map { " (\($0))" } ?? ""
      throw LedgerError(
        .corrupt,
        "\(refusal)\(place)\(subject). \(advice) The first finding: \(finding.message)")
    }
  }
}
