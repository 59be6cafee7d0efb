import ArgumentParser
import LedgerRuntime

/// `promise-ledger resolve`: fulfils promises that nothing else settles.
struct ResolveCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Fulfils promises that nothing else settles.",
    discussion: """
      Without --apply, the command prints what it would change. The value is stored as it is \
      given, under the type of the promise, which show prints; the program that reads it must be \
      able to decode it. For a promise of the type void, give null. A promise that code or other \
      promises settle is refused; see force. Exit code 2 means that the promise is settled or \
      abandoned, or cannot have that value; exit code 1 that some of several were refused; exit \
      code 4 that a writer makes no progress. The ledger records the session, with the role \
      operator and the reason.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions

  // As a value may be a negative number.
  @Option(parsing: .unconditional, help: ArgumentHelp("The value.", valueName: "json"))
  var value: String

  @OptionGroup var selection: PromiseSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "resolve"

  func validate() throws {
    try validateTarget()
    try JSONArgument.check(value)
  }

  func refusal(of target: Target) -> OperatorAnswer? { target.refusalToSettle }

  func change(of target: Target) throws -> OperatorChange {
    let record = try target.promise()
    if let refusal = record.refusalAsComputed { return { _ in refusal } }
    let outcome = try JSONArgument.outcome(value, for: record)
    return { ledger in
      OperatorAnswer(try await ledger.resolve(record.id, with: outcome), done: Self.verb)
    }
  }
}
