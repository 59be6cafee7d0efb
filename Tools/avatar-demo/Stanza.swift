import Foundation
import PromiseLedger

/// What the app asks of the server.
struct Request: Sendable, Codable {
  let id: String
  let room: Room

  /// A request with an id that no other has.
  init(for room: Room) {
    id = "iq-" + UUID().uuidString.prefix(8).lowercased()
    self.room = room
  }
}

/// What the server answers.
struct Stanza: Sendable, Codable {
  /// The id of the request.
  let id: String
  /// Why it was refused; absent if it was carried out.
  let error: ServerError?

  /// The key of the handler that waits for this answer.
  var handlerKey: HandlerKey {
    get throws { try HandlerKey(id) }
  }
}
