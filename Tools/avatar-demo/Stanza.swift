import Foundation
import PromiseLedger

/// A request from the app to the server.
struct Request: Sendable, Codable {
  let id: String
  let room: Room

  /// A request with a unique id.
  init(for room: Room) {
    id = "iq-" + UUID().uuidString.prefix(8).lowercased()
    self.room = room
  }
}

/// The server's answer.
struct Stanza: Sendable, Codable {
  /// The id of the request.
  let id: String
  /// The reason for a refusal; absent if the request was carried out.
  let error: ServerError?

  /// The key of the handler that waits for this answer.
  var handlerKey: HandlerKey {
    get throws { try HandlerKey(id) }
  }
}
