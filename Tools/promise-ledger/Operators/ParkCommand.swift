import ArgumentParser
import PromiseLedger

/// `promise-ledger park`: keeps work from being run.
struct ParkCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "park",
    abstract: "Keeps work from being run until retry makes it due again.",
    discussion: """
      Parked work leaves its lane, so that the work behind it can run. Work that runs cannot be \
      parked: the exit code is then 4, as it is if a writer makes no progress. The ledger records \
      the session, with the role operator. Exit code 2 means that the promise has no work, or is \
      settled.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var promise: PromiseOptions
  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var output: FormatOptions

  var intention: String { "park the work of promise \(promise.words)" }

  func validate() throws { try requireLock() }

  func change(of record: PromiseRecord) -> OperatorChange {
    { ledger in OperatorAnswer(try await ledger.parkWork(record.id), done: "park") }
  }
}
