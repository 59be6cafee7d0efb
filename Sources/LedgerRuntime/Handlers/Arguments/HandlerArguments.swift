/// Values for the parameters of a handler, by name.
///
/// Values are encoded when they are put in: what is bound is a value, not a variable. A value may be
/// anything `Codable`, also a ``DurablePromise`` or a ``DurableHandler``, at any depth. An optional
/// without a value is the same as no argument.
///
/// ```swift
/// let arguments: HandlerArguments = ["room": "room@example.org", "promise": promise]
/// ```
///
/// A value that cannot be encoded, and a name that is there twice in a literal, are reported when the
/// arguments are used.
public struct HandlerArguments: Sendable {
  /// What was said of one name.
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

  /// Makes arguments of nothing.
  public init() {}

  /// Puts a value in, in place of what was said of the name before.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` is the same as no argument.
  ///   - name: The name of the parameter: 1 to 128 bytes of UTF-8.
  public mutating func set(_ value: (any Encodable & Sendable)?, for name: String) {
    put(Entry(name: name, content: Content(encoding: value)))
  }

  /// Takes a bound argument away: for the call that gets this, or for good if it is merged. What was said
  /// of the name before does not count.
  public mutating func erase(_ name: String) {
    put(Entry(name: name, content: .erased))
  }

  /// The same arguments, and no bound one of these names.
  public func erasing(_ names: String...) -> HandlerArguments {
    erasing(names)
  }

  /// The same arguments, and no bound one of these names.
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
  /// Makes arguments of names and values.
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
