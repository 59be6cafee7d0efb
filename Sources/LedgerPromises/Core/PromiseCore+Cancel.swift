import Synchronization

/// Cancelling a promise, and everything that hears of it.
extension PromiseCore {
  @discardableResult
  func cancel(_ reason: CancellationReason) -> Bool {
    requestCancellation(reason) == .accepted
  }

  func requestCancellation(_ reason: CancellationReason) -> CancelAnswer {
    while true {
      let result = settle(.cancelled(reason), isRequest: true, in: nil)
      guard result.isHeld else { return result.didSettle ? .accepted : .refused }
      if let answer = machine.withLock({ $0.hold })?.cancel(self, reason) { return answer }
    }
  }

  func onCancel(
    onlyIfRequested: Bool = false,
    _ body: @escaping @Sendable (CancellationReason) -> Void
  ) {
    let handler = PromiseStateMachine.CancelHandler(onlyIfRequested: onlyIfRequested, body: body)
    switch machine.withLock({ $0.addCancelHandler(handler) }) {
    case .keep, .drop:
      break
    case .call:
      guard case .cancelled(let reason)? = failure else { return }
      body(reason)
    }
  }

  /// Has a request to cancel this promise cancel another one too, on which nothing else depends.
  func sendCancellations(to source: PromiseCore) {
    onCancel(onlyIfRequested: true) { [weak source] reason in source?.cancel(reason) }
  }

  /// Calls the handlers and cancels the promise that this one follows, without recursion: a
  /// cancellation that such a handler starts in turn waits in the thread's trampoline.
  func propagateCancellation(
    _ reason: CancellationReason, isRequest: Bool, _ extras: PromiseStateMachine.Extras
  ) {
    let upstream = isRequest ? extras.upstream : nil
    let handlers = extras.cancelHandlers.filter { isRequest || !$0.onlyIfRequested }
    guard upstream != nil || !handlers.isEmpty else { return }
    let observer = Observer { _, _ in
      for handler in handlers { handler.body(reason) }
      upstream?.cancel(reason)
    }
    InlineTrampoline.run(Job(observer, fate: .fulfilled))
  }
}
