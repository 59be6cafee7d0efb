extension PromiseOutcome: Codable where Value: Codable {
  private enum CodingKeys: CodingKey {
    case fulfilled, rejected, cancelled, timedOut
  }

  /// Decodes an outcome: an object with one member, `fulfilled` with the value, `rejected` with a
  /// ``StoredError``, `cancelled` with the reason, or `timedOut` with `true`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let error = try container.decodeIfPresent(StoredError.self, forKey: .rejected) {
      self = .rejected(error)
    } else if let reason = try container.decodeIfPresent(String.self, forKey: .cancelled) {
      self = .cancelled(reason: reason)
    } else if container.contains(.timedOut) {
      self = .timedOut
    } else {
      self = .fulfilled(try container.decode(Value.self, forKey: .fulfilled))
    }
  }

  /// Encodes the outcome as ``init(from:)`` decodes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .fulfilled(let value): try container.encode(value, forKey: .fulfilled)
    case .rejected(let error): try container.encode(error, forKey: .rejected)
    case .cancelled(let reason): try container.encode(reason, forKey: .cancelled)
    case .timedOut: try container.encode(true, forKey: .timedOut)
    }
  }
}

extension PromiseOutcome: PayloadTagged {
  /// `outcome<VALUE>` with the type tag of the value.
  public static var payloadTypeTag: String {
    "outcome<\(LedgerRuntime.payloadTypeTag(of: Value.self))>"
  }

  /// `outcome<VALUE>` with each former type tag of the value.
  public static var formerPayloadTypeTags: [String] {
    payloadTypeTags(of: Value.self).dropFirst().map { "outcome<\($0)>" }
  }
}
