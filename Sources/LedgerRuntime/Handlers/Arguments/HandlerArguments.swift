/// Values for the parameters of a handler, by name.
///
/// Values are encoded when they are set: an argument binds a value, not a variable. A value may be anything
/// `Codable`, including a ``DurablePromise`` or a ``DurableHandler`` at any depth. An optional without a
/// value is the same as no argument.
///
/// ```swift
/// let arguments: HandlerArguments = ["room": "room@example.org", "promise": promise]
/// ```
///
/// A value that cannot be encoded, or a duplicate name in a literal, causes an error when the arguments are
/// used.
public struct HandlerArguments: Sendable {
  /// The entry for one name.
  enum Content: Sendable {
    case value(ArgumentCoding.Encoded)
    /// An optional without a value.
    case absent
    case erased
    case failure(any Error)
  }

  struct Entry: Sendable {
    let name: String
    let content: Content
  }

  private(set) var entries: [Entry] = []

  /// Makes an empty set of arguments.
  public init() {}

  /// Sets the value for a name, replacing any earlier entry for that name.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` is the same as no argument.
  ///   - name: The name of the parameter: 1 to 128 bytes of UTF-8.
  public mutating func set(_ value: (any Encodable & Sendable)?, for name: String) {
    put(Entry(name: name, content: Content(encoding: value)))
  }

  /// Erases a bound argument: for the call that receives these arguments, or permanently if they are merged.
  /// This replaces any earlier entry for the name.
  public mutating func erase(_ name: String) {
    put(Entry(name: name, content: .erased))
  }

  /// The same arguments, with these bound names erased.
  public func erasing(_ names: String...) -> HandlerArguments {
    erasing(names)
  }

  /// The same arguments, with these bound names erased.
  public func erasing(_ names: [String]) -> HandlerArguments {
    var arguments = self
    for name in names { arguments.erase(name) }
    return arguments
  }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
  }

  private mutating func put(_ entry: Entry) {
    if let index = entries.firstIndex(where: { $0.name == entry.name }) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }
}

extension HandlerArguments: ExpressibleByDictionaryLiteral {
  /// Makes arguments from names and values.
  public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
    for (name, value) in elements {
      append(Entry(name: name, content: Content(encoding: value)))
    }
  }
}

extension HandlerArguments.Content {
  init(encoding value: (any Encodable)?) {
    do {
      guard let value, let encoded = try ArgumentCoding.encode(value) else {
        self = .absent
        return
      }
      self = .value(encoded)
    } catch {
      self = .failure(error)
    }
  }
}
