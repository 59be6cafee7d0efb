import ArgumentParser
import LedgerRuntime

/// `promise-ledger force`: settles a promise, even one that is settled by code.
struct ForceCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "force",
    abstract: "Settles a promise at once, even one that code settles.",
    discussion: """
      Without --apply, the command prints what it would change. If code runs that settles the promise, its result is refused, with all its effects on the \
      ledger. The value of --value is stored as it is given, under the type of the promise, which \
      show prints; the program that reads it must be able to decode it. For a promise without a \
      value, of the type void, give null. Exit code 2 means that the promise is settled or \
      abandoned, that --value was given for a joint, which takes its value from its inputs, that \
      the value is not JSON, or that it has the type bytes, which is not JSON; exit code 4 that a \
      writer makes no progress. The ledger records the session, with the role operator.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions

  // As a value may be a negative number.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Fulfil the promise with this value.", valueName: "json"))
  var value: String?

  @Option(help: ArgumentHelp("Reject the promise with this message.", valueName: "message"))
  var reject: String?

  @Option(help: ArgumentHelp("Cancel the promise for this reason.", valueName: "reason"))
  var cancel: String?

  @OptionGroup var selection: WorkSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "force"

  func validate() throws {
    try validateTarget()
    guard [value, reject, cancel].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("Give one of --value, --reject and --cancel.")
    }
    if let value { try JSONArgument.check(value) }
  }

  func refusal(of target: Target) -> OperatorAnswer? {
    guard case .promise(let record) = target else { return nil }
    return record.endedAnswer ?? refusalOfValue(for: record)
  }

  /// The answer to an attempt to give a joint a value.
  private func refusalOfValue(for record: PromiseRecord) -> OperatorAnswer? {
    value == nil || record.joint == nil ? nil : .valueOfJoint(record)
  }

  func change(of target: Target) throws -> OperatorChange {
    let record = try target.promise()
    if record.status == .pending, let refusal = refusalOfValue(for: record) {
      return { _ in refusal }
    }
    let outcome = try outcome(for: record)
    return { ledger in
      OperatorAnswer(try await ledger.forceOutcome(outcome, of: record.id), done: Self.verb)
    }
  }

  private func outcome(for record: PromiseRecord) throws -> PromiseOutcome<StoredValue> {
    if let cancel { return .cancelled(reason: cancel) }
    if let reject {
      return .rejected(StoredError(domain: "promise-ledger", message: reject))
    }
    return try JSONArgument.outcome(value ?? "null", for: record)
  }
}
