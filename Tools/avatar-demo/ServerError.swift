import PromiseLedger

/// The error with which the server answers.
struct ServerError: Error, Codable, Sendable {
  let code: Int64
  let condition: String
  let text: String
}

extension ServerError: StorableError {
  /// Domain, code and message for all readers; the whole error as the payload for readers that know
  /// its type.
  var storedError: StoredError {
    StoredError(
      domain: "chat-server", code: code, message: text,
      payload: StoredError.Payload(encoding: self))
  }
}
