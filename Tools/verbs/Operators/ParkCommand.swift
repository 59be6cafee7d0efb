import ArgumentParser
import LedgerRuntime

/// `promise-ledger park`: keeps work from being run.
struct ParkCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "park",
    abstract: "Keeps work from being run until retry makes it due again.",
    discussion: """
      Without --apply, the command prints what it would change. Parked work leaves its lane, so that the work behind it can run. Work that runs cannot be \
      parked: the exit code is then 4, as it is if a writer makes no progress. The ledger records \
      the session, with the role operator. Exit code 2 means that the promise has no work, or is \
      settled.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions
  @OptionGroup var selection: WorkSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "park"

  func validate() throws { try validateTarget() }

  func refusal(of target: Target) -> OperatorAnswer? {
    guard case .promise(let record) = target else { return nil }
    guard let work = record.work else { return .withoutWork(record) }
    if case .running(let session) = work.state {
      return OperatorAnswer(.running(in: session), done: Self.verb)
    }
    return record.endedAnswer
  }

  func change(of target: Target) throws -> OperatorChange {
    let id = try target.promise().id
    return { ledger in OperatorAnswer(try await ledger.parkWork(id), done: Self.verb) }
  }
}
