import ArgumentParser
import PromiseLedger

/// `promise-ledger abandon`: gives up a promise for good.
struct AbandonCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "abandon",
    abstract: "Gives up a promise for good: it can no longer be resolved or consumed.",
    discussion: """
      Work that waits for the promise counts it as failed. If code runs that settles the promise, \
      its result is refused. A promise that was abandoned before stays as it is, and the exit \
      code is 0. Exit code 2 means that the promise is consumed, or settled and in no need of \
      consumption; exit code 4 that a writer makes no progress. The ledger records the session, \
      with the role operator.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var promise: PromiseOptions

  @Option(help: ArgumentHelp("The reason, at most 2048 bytes.", valueName: "text"))
  var reason: String

  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var output: FormatOptions

  var intention: String { "abandon promise \(promise.words)" }

  func validate() throws { try requireLock() }

  func change(of record: PromiseRecord) -> OperatorChange {
    { [reason] ledger in
      switch try await ledger.abandon(record.id, reason: reason) {
      case .abandoned(let record): .done("abandon", record)
      case .alreadyConsumed(let record), .alreadySettled(let record): .alreadyEnded(record)
      case .notFound: .notFound
      }
    }
  }
}
