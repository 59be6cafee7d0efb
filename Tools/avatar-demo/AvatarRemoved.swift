import PromiseLedger

/// Handles the server's answer to the request to remove a room's avatar, in the process where the
/// answer arrives.
///
/// The app binds the room and the promise when it sends the request; the stanza comes with the
/// call.
struct AvatarRemoved: LedgerHandler {
  static let kind = "avatar-removed"

  let room: String
  let promise: DurablePromise<Void>
  let stanza: Stanza

  func run(in call: HandlerCall<Narrator>) throws {
    let say = call.context
    if let error = stanza.error {
      say("the handler rejects the promise for \(room) with the server's error \(error.code)")
      try call.reject(promise, error)
    } else {
      say("the handler fulfils the promise for \(room)")
      try call.fulfill(promise, ())
    }
  }
}

extension LedgerConfiguration {
  /// A configuration for a process that prints the actions of its handlers.
  static func withHandlers(saying say: Narrator) throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(AvatarRemoved.self) { say }
    return configuration
  }
}
