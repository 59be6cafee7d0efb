import Synchronization

/// A call while its code runs, with the effects that the code requests.
final class RunningCall: Sendable {
  private struct Contents {
    var effects: [HandlerEffect] = []
    var byteCount = 0
    var hasEnded = false
  }

  let ledger: Ledger
  let handler: HandlerID
  let kind: String
  let id: CallID
  let attempt: UInt32
  /// The promise that a failure rejects.
  let promiseToReject: PromiseID?
  private let contents = Mutex(Contents())

  init(_ started: StartedCall, rejecting promise: PromiseID? = nil, in ledger: Ledger) {
    self.ledger = ledger
    handler = started.entity.id
    kind = started.entity.kind
    id = started.call.id
    attempt = started.call.attempt
    promiseToReject = promise
  }

  /// The handler's name in errors.
  var handlerName: String { ArgumentSource.name(handler, kind: kind) }

  /// Keeps an effect until the call finishes.
  ///
  /// - Parameter byteCount: The size of its value or arguments.
  func add(_ effect: HandlerEffect, byteCount: Int) throws(LedgerError) {
    let limit = ledger.configuration.maximumPayloadSizeInBytes
    try contents.withLock { (contents) throws(LedgerError) in
      guard !contents.hasEnded else {
        throw LedgerError(
          .callEnded,
          "\(handlerName): the code of call \(id) has returned, so it can ask for no more effects. Await every task that asks for effects before the code returns."
        )
      }
      guard contents.effects.count < FinishCall.maximumEffectCount else {
        throw LedgerError(
          .invalidArgument,
          "\(handlerName): call \(id) has more than \(FinishCall.maximumEffectCount) effects. Spread them over several calls."
        )
      }
      guard contents.byteCount + byteCount <= limit else {
        throw LedgerError(
          .payloadTooLarge,
          "\(handlerName): the effects of call \(id) have more than \(limit) bytes together. Spread them over several calls."
        )
      }
      contents.byteCount += byteCount
      contents.effects.append(effect)
    }
  }

  /// Whether the code has returned or thrown.
  var hasEnded: Bool { contents.withLock { $0.hasEnded } }

  /// The running code of this call, for the promises among its arguments.
  func code(with promises: Set<PromiseID>) -> RunningCode {
    RunningCode(
      handlerName: handlerName, ledger: ledger.id, promises: promises,
      hasEnded: { self.hasEnded })
  }

  /// Refuses further effects, and returns those collected: tasks that the code left behind may keep the call.
  func end() -> [HandlerEffect] {
    contents.withLock { contents in
      contents.hasEnded = true
      defer { contents.effects = [] }
      return contents.effects
    }
  }
}
