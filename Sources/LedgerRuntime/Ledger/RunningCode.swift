/// Handler code that the current task runs, with the promises that it received as arguments.
struct RunningCode: Sendable {
  /// Ordered from the outermost to the innermost.
  @TaskLocal static var current: [RunningCode] = []

  /// The handler code that has not ended. Tasks that code leaves behind inherit all entries.
  static var waiting: [RunningCode] { current.filter { !$0.hasEnded() } }

  /// The name of the handler or the work.
  let name: CodeName
  let ledger: LedgerID
  let promises: Set<PromiseID>
  let hasEnded: @Sendable () -> Bool
}

extension Ledger {
  /// Prevents handler code from directly resolving a promise among its arguments. That would take effect
  /// immediately, even if the code fails, rather than together with the end of its call.
  func refuseInCode(of id: PromiseID) throws(LedgerError) {
    let code = RunningCode.waiting.first { $0.ledger == self.id && $0.promises.contains(id) }
    guard let code else { return }
    throw LedgerError(
      .invalidArgument,
      "Promise \(id) is an argument of code that runs now. \(code.name): resolve it with call.fulfill, call.reject or call.cancel, so that it happens exactly once, when the call finishes. To resolve it at once all the same, use a detached task."
    )
  }
}
