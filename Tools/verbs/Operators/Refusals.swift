import LedgerRuntime

extension Target {
  /// The answer to an attempt to settle it from outside, as far as its record tells.
  var refusalToSettle: OperatorAnswer? {
    guard case .promise(let record) = self else { return nil }
    return record.refusalAsComputed ?? record.endedAnswer
  }
}

extension PromiseRecord {
  /// The answer to an attempt to settle it, if it is settled or abandoned.
  var endedAnswer: OperatorAnswer? { status == .pending ? nil : .alreadyEnded(self) }

  /// The answer to an attempt to settle it, if only code or other promises do that.
  var refusalAsComputed: OperatorAnswer? {
    if joint != nil { return .settledByInputs(self) }
    return work == nil ? nil : .settledByCode(self)
  }
}

extension OperatorAnswer {
  static func withoutWork(_ record: PromiseRecord) -> Self {
    .refused(
      .usage, "Promise \(record.id) is not settled by code, so there is no work to change.")
  }

  static func valueOfJoint(_ record: PromiseRecord) -> Self {
    .refused(
      .usage,
      "Promise \(record.id) is a joint, whose value is that of its inputs. Reject or cancel it, or settle the inputs."
    )
  }

  static func settledByCode(_ record: PromiseRecord) -> Self {
    .refused(
      .usage,
      "Promise \(record.id) is settled by code. To settle it all the same, use force.")
  }

  static func settledByInputs(_ record: PromiseRecord) -> Self {
    .refused(
      .usage,
      "Promise \(record.id) is a joint, which its inputs settle. Settle these, or reject or cancel it with force."
    )
  }
}
