import PromiseLedger

/// The error with which the server answers.
struct ServerError: Error, Codable, Sendable {
  let code: Int64
  let condition: String
  let text: String
}

extension ServerError: StorableError {
  /// Domain, code and message for everybody; the whole error as the payload for who knows its type.
  var storedError: StoredError {
    let codec = PayloadCodec<ServerError>.json()
    let payload = (try? codec.encode(self)).map {
      StoredError.Payload(typeTag: codec.typeTag, bytes: $0)
    }
    return StoredError(domain: "chat-server", code: code, message: text, payload: payload)
  }
}
