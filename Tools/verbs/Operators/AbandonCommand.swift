import ArgumentParser
import LedgerRuntime

/// `promise-ledger abandon`: gives up a promise for good.
struct AbandonCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "abandon",
    abstract: "Gives up a promise for good: it can no longer be resolved or consumed.",
    discussion: """
      Without --apply, the command prints what it would change. Work that waits for the promise counts it as failed. If code runs that settles the promise, \
      its result is refused. A promise that was abandoned before stays as it is, and the exit \
      code is 0. Exit code 2 means that the promise is consumed, or settled and in no need of \
      consumption; exit code 4 that a writer makes no progress. The ledger records the session, \
      with the role operator.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions
  @OptionGroup var selection: PromiseSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "abandon"

  func validate() throws {
    try validateTarget()
    try applying.requireReason()
  }

  func refusal(of target: Target) -> OperatorAnswer? {
    guard case .promise(let record) = target else { return nil }
    let isOver =
      record.status == .consumed
      || record.status == .resolved && record.lifetime == .untilSettled
    return isOver ? .alreadyEnded(record) : nil
  }

  func change(of target: Target) throws -> OperatorChange {
    let id = try target.promise().id
    return { [reason = applying.reason ?? ""] ledger in
      switch try await ledger.abandon(id, reason: reason) {
      case .abandoned(let record): .done(Self.verb, .promise(record))
      case .alreadyConsumed(let record), .alreadySettled(let record): .alreadyEnded(record)
      case .notFound: .notFound
      }
    }
  }
}
