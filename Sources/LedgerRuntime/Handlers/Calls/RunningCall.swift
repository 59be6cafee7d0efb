/// A call while its code runs.
final class RunningCall: Sendable {
  let handler: HandlerID
  let kind: String
  let id: CallID
  let attempt: UInt32
  /// The promise that a failure rejects.
  let promiseToReject: PromiseID?
  let effects: EffectCollector

  init(_ started: StartedCall, rejecting promise: PromiseID? = nil, in ledger: Ledger) {
    handler = started.entity.id
    kind = started.entity.kind
    id = started.call.id
    attempt = started.call.attempt
    promiseToReject = promise
    effects = EffectCollector(of: .handler(handler, kind: kind), .call(id), in: ledger)
  }

  var ledger: Ledger { effects.ledger }

  /// The handler's name in errors.
  var handlerName: CodeName { effects.codeName }

  /// Whether the code has returned or thrown.
  var hasEnded: Bool { effects.hasEnded }
}
