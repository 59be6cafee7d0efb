import PromiseLedger

/// What happens when the server answers, in whichever process the answer reaches.
///
/// The app binds `room` and `promise` when it sends its request. The extension gives `stanza` when it
/// calls the handler.
struct AvatarRemoved: LedgerHandler {
  /// The name in the ledger. It stays the same even if the type is renamed.
  static let kind = "avatar-removed"

  let room: String
  let promise: DurablePromise<Void>
  let stanza: Stanza

  func run(in call: HandlerCall<Void>) throws {
    if let refusal = stanza.refusal {
      say("the handler rejects the promise for \(room)")
      try call.reject(promise, refusal)
    } else {
      say("the handler fulfils the promise for \(room)")
      try call.fulfill(promise, ())
    }
  }
}
