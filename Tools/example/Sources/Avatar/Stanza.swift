import Foundation

/// What the server sends in answer to a request.
struct Stanza: Codable, Sendable {
  /// The id of the request that this answers.
  let request: String

  /// Why the server refuses, or nil if it did what it was asked for.
  let refusal: ServerError?
}

/// The server's error. It is `Codable`, so it crosses processes as itself.
struct ServerError: Error, Codable, LocalizedError {
  let code: Int
  let text: String

  /// What a person reads. It is stored with the error.
  var errorDescription: String? { text }
}
