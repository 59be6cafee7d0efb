import ArgumentParser
import LedgerRuntime

/// `promise-ledger reject`: rejects promises that nothing else settles.
struct RejectCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "reject",
    abstract: "Rejects promises that nothing else settles.",
    discussion: """
      Without --apply, the command prints what it would change. The error has the domain \
      promise-ledger, and the reason as its message. A promise that code or other promises settle \
      is refused; see force and cancel. Exit code 2 means that the promise is settled or \
      abandoned; exit code 1 that some of several were refused; exit code 4 that a writer makes \
      no progress. The ledger records the session, with the role operator and the reason.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions
  @OptionGroup var selection: PromiseSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "reject"

  func validate() throws {
    try validateTarget()
    try applying.requireReason()
  }

  func refusal(of target: Target) -> OperatorAnswer? { target.refusalToSettle }

  func change(of target: Target) throws -> OperatorChange {
    let record = try target.promise()
    if let refusal = record.refusalAsComputed { return { _ in refusal } }
    let error = StoredError(domain: "promise-ledger", message: applying.reason ?? "")
    return { ledger in
      OperatorAnswer(try await ledger.resolve(record.id, with: .rejected(error)), done: Self.verb)
    }
  }
}
