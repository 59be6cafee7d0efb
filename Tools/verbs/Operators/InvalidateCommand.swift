import ArgumentParser
import LedgerRuntime

/// `promise-ledger invalidate`: withdraws handlers for good: they can no longer be called.
struct InvalidateCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "invalidate",
    abstract: "Withdraws handlers for good: they can no longer be called.",
    discussion: """
      Without --apply, the command prints what it would change. The invalidation code of a \
      handler does not run, because the tool does not know it: to run it, invalidate the handler \
      in a program that does. A call that runs may finish. Exit code 2 means that the handler was \
      invalidated before, or has finished; exit code 1 that some of several were refused; exit \
      code 4 that a writer makes no progress. The ledger records the session, with the role \
      operator and the reason.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var target: TargetOptions
  @OptionGroup var selection: HandlerSelection
  @OptionGroup var applying: ApplyOptions
  @OptionGroup var output: FormatOptions

  static let verb = "invalidate"

  func validate() throws {
    try validateTarget()
  }

  static let preferredKind = LedgerSubject.Kind.handler

  func refusal(of target: Target) -> OperatorAnswer? {
    guard case .handler(let record) = target, record.status != .active else { return nil }
    return .alreadyEnded(record)
  }

  func change(of target: Target) throws -> OperatorChange {
    guard case .handler(let record) = target else {
      throw Status.Failure(.usage, "\(target.id) is no handler. Give the id of a handler.")
    }
    return { [reason = applying.reason ?? ""] ledger in
      do {
        try await ledger.handler(id: record.id).invalidate(reason: reason)
      } catch let error as LedgerError
        where [.handlerInvalidated, .handlerFinished].contains(error.code)
      {
        return try await ledger.record(of: record.id).map(OperatorAnswer.alreadyEnded) ?? .notFound
      }
      guard let now = try await ledger.record(of: record.id) else { return .notFound }
      return .done(Self.verb, .handler(now))
    }
  }
}
