import ArgumentParser
import PromiseLedger

/// `promise-ledger retry`: makes work due.
struct RetryCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Makes work due at once: parked work, or work that waits for a time.",
    discussion: """
      Failures and deaths of processes are counted from 0 again. Work that waits for a promise \
      and was never run waits on, but is no longer parked. The command does not run the work: a \
      process with a runner does. The ledger records the session, with the role operator. Exit \
      code 2 means that the promise has no work, or is settled; exit code 4 that a writer makes \
      no progress.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var promise: PromiseOptions
  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var output: FormatOptions

  var intention: String { "make the work of promise \(promise.words) due" }

  func validate() throws { try requireLock() }

  func change(of record: PromiseRecord) -> OperatorChange {
    { ledger in OperatorAnswer(try await ledger.retryWork(record.id), done: "retry") }
  }
}

extension OperatorCommand {
  func requireLock() throws {
    guard !reading.withoutLock else {
      throw ValidationError("A command that writes needs the lock: leave out --without-lock.")
    }
  }
}
