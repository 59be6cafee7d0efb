import Foundation
import PromiseLedger

/// What happens with the server's answer to the request to remove the avatar of a room.
struct AvatarRemoved: LedgerHandler {
  static let kind = "avatar-removed"

  let room: String
  let promise: DurablePromise<Void>
  let stanza: Stanza

  func run(in call: HandlerCall<Server>) async throws {
    if let refusal = stanza.refusal {
      try call.reject(promise, refusal)
    } else {
      await call.context.forgetAvatar(of: room)
      try call.fulfill(promise, ())
    }
  }
}

/// An answer of the server.
struct Stanza: Codable, Sendable {
  let id: String
  let refusal: Refusal?
}

/// The server's reason for a refusal, as the user reads it.
struct Refusal: LocalizedError, Codable {
  let text: String

  var errorDescription: String? { text }
}
