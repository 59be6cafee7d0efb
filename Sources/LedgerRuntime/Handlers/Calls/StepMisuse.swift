/// A use of steps that no attempt of this build can do correctly. The work is parked, because another build may
/// finish it.
struct StepMisuse: Error {
  let message: String

  static func twice(_ step: StepIdentity) -> StepMisuse {
    StepMisuse(
      message:
        "Step \(step) was begun again while it runs. Give each step a key of its own, or wait for the first one."
    )
  }

  static func withoutKeys(_ name: String) -> StepMisuse {
    StepMisuse(
      message:
        "Two steps \(name) without keys run at once, so a later attempt could confuse them. Give each a key."
    )
  }

  static func otherType(
    _ step: StepIdentity, recorded: String, expected: String
  ) -> StepMisuse {
    StepMisuse(
      message:
        "Step \(step) has a recorded value of the type \(recorded), but the code expects \(expected). Use the recorded type, name it as a former one, or give the step another name."
    )
  }

  static func noChild(_ step: StepIdentity) -> StepMisuse {
    StepMisuse(
      message:
        "Step \(step) was recorded as a step or a pause, but the code expects a child or a promise. Give it another name."
    )
  }

  static func otherChildType(
    _ step: StepIdentity, recorded: String, expected: String
  ) -> StepMisuse {
    StepMisuse(
      message:
        "The promise of \(step) has values of the type \(recorded), but the code expects \(expected). Use the stored type, name it as a former one, or give the child another name."
    )
  }

  static func otherChild(_ step: StepIdentity) -> StepMisuse {
    StepMisuse(
      message:
        "\(step) was another kind of child, or a joint of other promises, when it was created. Give it another name."
    )
  }

  static func longChild(_ step: StepIdentity, _ error: LedgerError) -> StepMisuse {
    StepMisuse(
      message:
        "The name and the key of the child \(step) are too long together, because each / and % in the name takes three bytes in the key of its promise. \(error.message)"
    )
  }

  static func tooManyChildren(_ step: StepIdentity, maximum: Int) -> StepMisuse {
    StepMisuse(
      message:
        "The work has \(maximum) children, joints and promises of its own, the maximum, so it cannot have \(step) too. Let some children start the others, or start them with the ledger, as work of its own."
    )
  }
}

extension StepMisuse: StorableError {
  var storedError: StoredError {
    StoredError(domain: WorkError.domain, code: 8, message: message)
  }
}
