import LedgerBytes

/// One argument of a handler in stored form: the encoded value with the name of its type.
public struct StoredArgument: Sendable, Hashable {
  /// The name of the parameter.
  public let name: String
  /// Whether the argument removes a bound argument instead of providing a value.
  public let isErased: Bool
  /// The name of the value's type and encoding; empty if erased.
  public let typeTag: String
  /// The encoded value; empty if erased.
  public let payload: [UInt8]

  /// Creates an argument from an encoded value.
  public init(name: String, typeTag: String, payload: [UInt8]) {
    self.init(name: name, isErased: false, typeTag: typeTag, payload: payload)
  }

  /// An argument that removes the bound argument of that name.
  public static func erasing(_ name: String) -> StoredArgument {
    StoredArgument(name: name, isErased: true, typeTag: "", payload: [])
  }

  fileprivate init(name: String, isErased: Bool, typeTag: String, payload: [UInt8]) {
    self.name = name
    self.isErased = isErased
    self.typeTag = typeTag
    self.payload = payload
  }
}

/// The arguments of a handler, or of a call of a handler, by name.
public struct StoredArguments: Sendable, Hashable {
  /// The maximum number of arguments in a set.
  package static let maximumCount = 1_024

  /// The arguments in the byte order of their names; names are unique.
  public let arguments: [StoredArgument]

  /// No arguments.
  public static let none = StoredArguments(sorted: [])

  /// Sorts and checks the arguments.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` if a name or a type tag is out of bounds, if a name
  ///   occurs twice, or if there are more than 1,024 arguments; ``LedgerError/Code/payloadTooLarge`` if a
  ///   payload has 4 GiB or more.
  public init(_ arguments: some Sequence<StoredArgument>) throws(LedgerError) {
    let sorted = arguments.sorted { $0.name.precedesInBytes($1.name) }
    guard sorted.count <= Self.maximumCount else {
      throw LedgerError(
        .invalidArgument,
        "There are \(sorted.count) arguments; the maximum is \(Self.maximumCount). Combine several into one value."
      )
    }
    var names: Set<String> = []
    for argument in sorted {
      try TextLimit.argumentName.check(argument.name)
      if !argument.isErased { try TextLimit.typeTag.check(argument.typeTag) }
      guard UInt32(exactly: argument.payload.count) != nil else {
        throw LedgerError(
          .payloadTooLarge,
          "The argument \(argument.name) has 4 GiB or more. Store it elsewhere and its name here.")
      }
      guard names.insert(argument.name).inserted else {
        throw LedgerError(
          .invalidArgument, "The argument \(argument.name) is given twice. Give each name once.")
      }
    }
    self.init(sorted: sorted)
  }

  private init(sorted: [StoredArgument]) {
    arguments = sorted
  }

  /// The argument with the given name.
  ///
  /// - Complexity: O(n) in the number of arguments.
  public subscript(name: String) -> StoredArgument? {
    arguments.first { $0.name == name }
  }
}

// MARK: - Encoding

extension StoredArguments {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let erased = Flags(rawValue: 1)
  }

  /// Decodes the arguments that are an event's attachment.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the bytes are not valid arguments.
  public init(decoding bytes: [UInt8]) throws(LedgerError) {
    do throws(PayloadDamage) {
      try self.init(parsing: bytes)
    } catch {
      throw LedgerError(.corrupt, "Stored arguments are damaged: \(error.what).")
    }
  }

  init(parsing bytes: [UInt8]) throws(PayloadDamage) {
    var reader = PayloadReader(bytes)
    let count: UInt16 = try reader.integer()
    var arguments: [StoredArgument] = []
    for _ in 0..<count {
      let name = try reader.text()
      let flags = Flags(rawValue: try reader.integer())
      let typeTag = try reader.text()
      let byteCount: UInt32 = try reader.integer()
      if let last = arguments.last, !last.name.precedesInBytes(name) {
        throw PayloadDamage(what: "the arguments are not in the order of their names")
      }
      arguments.append(
        StoredArgument(
          name: name, isErased: flags.contains(.erased), typeTag: typeTag,
          payload: try reader.bytes(Int(byteCount))))
    }
    try reader.finish()
    self.init(sorted: arguments)
  }

  /// The bytes that an event carries; see the article *File format*.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(UInt16(clamping: arguments.count))
    for argument in arguments {
      bytes.appendText(argument.name)
      bytes.append(argument.isErased ? Flags.erased.rawValue : 0)
      bytes.appendText(argument.typeTag)
      bytes.appendLittleEndian(UInt32(clamping: argument.payload.count))
      bytes.append(contentsOf: argument.payload)
    }
    return bytes
  }
}

extension String {
  /// Compares the UTF-8 bytes, whose order is the same in every version of Unicode.
  fileprivate func precedesInBytes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
