import ArgumentParser
import LedgerRuntime

/// `promise-ledger retry`: makes work due.
struct RetryCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Makes work due at once: parked work, or work that waits for a time.",
    discussion: """
      Without --apply, the command prints what it would change. Failures and deaths of \
      processes are counted from 0 again. Work that waits for a promise and was never run keeps \
      waiting, but is no longer parked. The command does not run the work: a process with a runner \
      does. Calls of a handler that a dead session ran are given back, so that a session that knows \
      its kind can run them again. The ledger records the session, with the role operator. Exit \
      code 2 means that the promise has no work, or is settled; exit code 4 that a writer makes \
      no progress.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions
  @OptionGroup var selection: WorkSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "retry"

  func validate() throws { try validateTarget() }

  func refusal(of target: Target) -> OperatorAnswer? {
    guard case .promise(let record) = target else { return nil }
    return record.work == nil ? .withoutWork(record) : record.endedAnswer
  }

  func change(of target: Target) throws -> OperatorChange {
    guard case .handler(let record) = target else {
      let id = try target.promise().id
      return { ledger in OperatorAnswer(try await ledger.retryWork(id), done: Self.verb) }
    }
    guard !record.openCalls.isEmpty else {
      throw Status.Failure(
        .usage,
        "Handler \(record.id) has no unfinished call. A process that knows its kind calls it.")
    }
    return { ledger in
      // Opening the ledger has given back what dead sessions ran.
      guard let now = try await ledger.record(of: record.id) else { return .notFound }
      if let running = now.openCalls.first(where: { $0.release == nil }) {
        return .refused(
          .busy, "Session \(running.newestStart.session) runs the call, and is not gone.")
      }
      return .done("give back", .handler(now))
    }
  }
}
