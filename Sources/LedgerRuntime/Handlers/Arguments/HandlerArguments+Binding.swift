extension HandlerArguments {
  /// Makes arguments from the members of a value, such as a handler or its `Binding`.
  ///
  /// - Parameter binding: The value whose members become arguments; members without a value are not bound.
  public init(encoding binding: some Encodable & Sendable) {
    if let arguments = binding as? HandlerArguments {
      self = arguments
      return
    }
    let encoder = ArgumentEncoder()
    do {
      try binding.encode(to: encoder)
      self = encoder.arguments
    } catch {
      self = encoder.arguments
      add(failure: error, for: String(describing: type(of: binding)))
    }
  }

  mutating func add(failure: any Error, for name: String) {
    append(Entry(name: name, content: .failure(failure)))
  }
}

extension HandlerArguments: Encodable {
  /// Encodes the names with their types and encoded values, for display to people.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ArgumentName.self)
    for entry in entries {
      guard case .value(let encoded) = entry.content else { continue }
      try container.encode(
        [encoded.typeTag, String(decoding: encoded.payload, as: UTF8.self)],
        forKey: ArgumentName(entry.name))
    }
  }
}

/// The name of an argument as a key.
struct ArgumentName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
