import ArgumentParser
import LedgerRuntime

/// `promise-ledger cancel`: cancels work, or a promise that nothing else settles.
struct CancelCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancels work, or a promise that nothing else settles.",
    discussion: """
      Without --apply, the command prints what it would change. Work that is parked, or that has \
      no code running and has neither finished a step nor waited, is cancelled at once, with the \
      work that it started. Other work is asked to end, and may undo what it did; the promise is \
      pending until then. To settle it at once, see force. Exit \
      code 2 means that the promise is settled or abandoned; exit code 1 that some of several were \
      refused; exit code 4 that a writer makes no progress. The ledger records the session, with \
      the role operator and the reason.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions
  @OptionGroup var selection: WorkSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "cancel"

  func validate() throws {
    try validateTarget()
  }

  func refusal(of target: Target) -> OperatorAnswer? {
    guard case .promise(let record) = target else { return nil }
    return record.endedAnswer
  }

  func change(of target: Target) throws -> OperatorChange {
    let record = try target.promise()
    let reason = applying.reason ?? ""
    guard record.work != nil || record.joint != nil else {
      return { ledger in
        let resolution = try await ledger.resolve(record.id, with: .cancelled(reason: reason))
        return OperatorAnswer(resolution, done: Self.verb)
      }
    }
    return { ledger in
      switch try await ledger.cancelWork(record.id, reason: reason) {
      case .cancelled(let record): .done(Self.verb, .promise(record))
      case .requested(let record): .done("ask to end", .promise(record))
      case .alreadyEnded(let record): .alreadyEnded(record)
      case .notFound: .notFound
      }
    }
  }
}
