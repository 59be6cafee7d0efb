extension StoredError {
  /// Turns any error into data: a stored error stays as it is, a ``StorableError`` says how it is
  /// stored, an error that is `Codable` carries itself as its payload, and of any other remain the
  /// name of its type and its description.
  public init(_ error: any Error) {
    if let error = error as? StoredError {
      self = error
    } else if let error = error as? any StorableError {
      self = error.storedError
    } else {
      let encodable = error as? any Error & Codable & Sendable
      self.init(
        domain: String(describing: type(of: error)), message: String(describing: error),
        payload: encodable.flatMap { Payload(encoding: $0) })
    }
  }

  /// Decodes the payload if it is of this type.
  ///
  /// - Returns: `nil` if there is no payload or it is of another type.
  public func decode<Value: Codable & Sendable>(as type: Value.Type = Value.self) -> Value? {
    guard let payload else { return nil }
    let codec = PayloadCodec<Value>.json()
    guard payload.typeTag == codec.typeTag else { return nil }
    return try? codec.decode(payload.bytes)
  }
}

/// An error that knows how it is stored in a ledger.
public protocol StorableError: Error {
  /// The error as data.
  var storedError: StoredError { get }
}

extension StoredError.Payload {
  fileprivate init?<Value: Codable & Sendable>(encoding value: Value) {
    let codec = PayloadCodec<Value>.json()
    guard let bytes = try? codec.encode(value) else { return nil }
    self.init(typeTag: codec.typeTag, bytes: bytes)
  }
}
