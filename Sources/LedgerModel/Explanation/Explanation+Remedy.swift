extension Explanation {
  /// An action that ends a reason to wait.
  @nonexhaustive public enum Remedy: Sendable, Hashable {
    /// The time comes; nothing has to be done.
    case wait(until: Timestamp)
    /// The running code ends; nothing has to be done.
    case waitForCode
    /// A process settles the promise.
    case resolve(PromiseID)
    /// The app consumes the outcome.
    case consume(PromiseID)
    /// Any process gives up the promise for good.
    case abandon(PromiseID)
    /// An operator makes the work due at once.
    case retry(PromiseID)
    /// Any process cancels the work.
    case cancel(PromiseID)
    /// An operator keeps the work from being run, so that it leaves its lane.
    case park(PromiseID)
    /// An operator settles the promise in place of its code.
    case force(PromiseID)
    /// The other promise has reasons of its own.
    case explain(PromiseID)
    /// A process opens the ledger with a runner, and knows the kind.
    case run(kind: String)
    /// A process opens the ledger, or one that has it open writes.
    case open
    /// A process with a runner opens the ledger.
    case openWithRunner
    /// A process that knows the kind calls the handler.
    case call(HandlerID, kind: String)
    /// A process that knows the kind retries its unfinished calls.
    case retryCalls(kind: String)
    /// A process invalidates the handler.
    case invalidate(HandlerID)
    /// The process with the session unfreezes it.
    case unfreeze(SessionID)
    /// The process with the session is ended, or closes the session.
    case endProcess(SessionID)
    /// The library or the tool is updated.
    case update
    /// The ledger is verified, and restored from a copy.
    case verify
  }
}

extension Explanation.Remedy: CustomStringConvertible {
  /// The action as a sentence that names the methods and the verbs of the tool.
  public var description: String {
    switch self {
    case .wait(let time): "Wait until \(time)."
    case .waitForCode: "Wait for the end of the code."
    case .resolve(let id): "Resolve promise \(id), in any process (DurablePromise.resolve)."
    case .consume(let id): "Consume promise \(id), in the app (DurablePromise.consume)."
    case .abandon(let id): "Abandon promise \(id), in any process (promise-ledger abandon)."
    case .retry(let id): "Make the work of promise \(id) due (promise-ledger retry)."
    case .cancel(let id): "Cancel the work of promise \(id) (Ledger.cancelWork)."
    case .park(let id): "Park the work of promise \(id) (promise-ledger park)."
    case .force(let id): "Settle promise \(id) in place of its code (promise-ledger force)."
    case .explain(let id): "See what promise \(id) waits for (promise-ledger explain)."
    case .run(let kind):
      "Open the ledger in a process that has a runner and knows the kind \"\(kind)\"."
    case .open: "Open the ledger in any process, or write with one that has it open."
    case .openWithRunner: "Open the ledger in a process that has a runner."
    case .call(let id, let kind):
      "Call handler \(id), in a process that knows the kind \"\(kind)\" (DurableHandler.call)."
    case .retryCalls(let kind):
      "Retry the call in a process that knows the kind \"\(kind)\" (Ledger.retryUnfinishedCalls)."
    case .invalidate(let id): "Invalidate handler \(id) (DurableHandler.invalidate)."
    case .unfreeze(let id): "Unfreeze session \(id), in its process (Ledger.unfreeze)."
    case .endProcess(let id): "End the process of session \(id)."
    case .update: "Update the library and the tool."
    case .verify:
      "Verify the ledger, and restore it from a copy if it is damaged (promise-ledger verify)."
    }
  }

  /// The name of the action, which does not change.
  public var name: String {
    switch self {
    case .wait: "wait"
    case .waitForCode: "waitForCode"
    case .resolve: "resolve"
    case .consume: "consume"
    case .abandon: "abandon"
    case .retry: "retry"
    case .cancel: "cancel"
    case .park: "park"
    case .force: "force"
    case .explain: "explain"
    case .run: "run"
    case .open: "open"
    case .openWithRunner: "openWithRunner"
    case .call: "call"
    case .retryCalls: "retryCalls"
    case .invalidate: "invalidate"
    case .unfreeze: "unfreeze"
    case .endProcess: "endProcess"
    case .update: "update"
    case .verify: "verify"
    }
  }
}
