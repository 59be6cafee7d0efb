extension StoredError {
  /// Turns any error into data, and keeps the texts that a person must see.
  ///
  /// | error | domain | code | message | beside it |
  /// |---|---|---|---|---|
  /// | `StoredError` | as it is | | | |
  /// | ``StorableError`` | as it says itself | | | |
  /// | `NSError`, `CocoaError`, `POSIXError`, `URLError`, any `CustomNSError` | its domain | its code | `localizedDescription` | reason, suggestion, underlying errors |
  /// | `LocalizedError` | name of its type | none | `errorDescription` | reason, suggestion |
  /// | any other | name of its type | none | its description | |
  ///
  /// An error that is `Codable` is itself stored as the ``payload``, instead of a reason, a suggestion and
  /// underlying errors: `stored(as:)` returns it with all its contents.
  ///
  /// `LedgerError`, `DecodingError` and `EncodingError` keep their whole description as their message. The
  /// causes of a `LedgerError` and of a `PromiseError` are kept as underlying errors. Underlying errors are
  /// kept four deep and four wide, and each of their texts up to 2,048 bytes of UTF-8.
  ///
  /// An error that means a cancellation is stored like any other, so a promise that is rejected with it stays
  /// rejected; see `isCancellation`.
  public init(_ error: any Error) {
    self.init(error, depth: 0)
  }

  /// - Parameter depth: The number of errors above this one in the chain of underlying errors.
  init(_ error: any Error, depth: Int) {
    if let error = error as? StoredError {
      self = error
    } else if let error = error as? any StorableError {
      self = error.storedError
    } else {
      let facts = ErrorFacts(error, depth: depth)
      let encodable = error as? any Error & Codable & Sendable
      self.init(
        domain: facts.domain, code: facts.code, message: facts.message,
        payload: encodable.flatMap { Payload(encoding: $0) } ?? facts.details.payload)
    }
  }

  /// Decodes the payload if it is of this type.
  ///
  /// - Returns: `nil` if there is no payload or it is of another type.
  public func decode<Value: Codable & Sendable>(as type: Value.Type = Value.self) -> Value? {
    guard let payload else { return nil }
    let codec = PayloadCodec<Value>.json()
    guard codec.reads(payload.typeTag) else { return nil }
    return try? codec.decode(payload.bytes)
  }
}

/// An error that defines how it is stored in a ledger.
public protocol StorableError: Error {
  /// The error as data.
  var storedError: StoredError { get }
}

extension StoredError.Payload {
  /// Encodes a value, in the way that a `Codable` error is stored as its own payload.
  ///
  /// - Returns: `nil` if it cannot be encoded.
  public init?<Value: Codable & Sendable>(encoding value: Value) {
    let codec = PayloadCodec<Value>.json()
    guard let bytes = try? codec.encode(value) else { return nil }
    self.init(typeTag: codec.typeTag, bytes: bytes)
  }
}
