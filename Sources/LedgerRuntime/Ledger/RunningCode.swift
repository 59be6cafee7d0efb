/// Code of a handler that the current task runs, and the promises that it got as arguments.
struct RunningCode: Sendable {
  /// From the outermost on.
  @TaskLocal static var current: [RunningCode] = []

  /// Those that did not end. Tasks that code leaves behind inherit all of them.
  static var waiting: [RunningCode] { current.filter { !$0.hasEnded() } }

  /// How the handler is named in errors.
  let handlerName: String
  let ledger: LedgerID
  let promises: Set<PromiseID>
  let hasEnded: @Sendable () -> Bool
}

extension Ledger {
  /// Refuses that code of a handler resolves a promise among its arguments by itself: that would happen
  /// at once, also if the code fails, and not with the end of its call.
  func refuseInCode(of id: PromiseID) throws(LedgerError) {
    let code = RunningCode.waiting.first { $0.ledger == self.id && $0.promises.contains(id) }
    guard let code else { return }
    throw LedgerError(
      .invalidArgument,
      "Promise \(id) is an argument of code that runs now. \(code.handlerName): resolve it with call.fulfill, call.reject or call.cancel, so that it happens exactly once, when the call finishes. To resolve it at once all the same, use a detached task."
    )
  }
}
