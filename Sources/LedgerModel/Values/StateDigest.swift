import LedgerBytes

/// A fingerprint of a ledger's whole state, independent of how the state was reached.
///
/// It is the sum, modulo 2 to the power of 256, of the SHA-256 hashes of every entity and every tombstone, so
/// it can be updated one entity at a time.
public struct StateDigest: Sendable, Hashable {
  /// The sum, lowest word first.
  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// The digest of no entity at all.
  public static let empty = StateDigest(words: (0, 0, 0, 0))

  private init(words: (UInt64, UInt64, UInt64, UInt64)) {
    self.words = words
  }

  /// The 32 bytes of the sum, the lowest byte first.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    bytes.appendLittleEndian(words.0)
    bytes.appendLittleEndian(words.1)
    bytes.appendLittleEndian(words.2)
    bytes.appendLittleEndian(words.3)
    return bytes
  }

  /// Parses 64 hexadecimal digits; `nil` if the text is invalid.
  public init?(_ description: String) {
    guard let bytes = [UInt8](hexadecimalDigits: Array(description.utf8)[...]), bytes.count == 32
    else { return nil }
    self.init(bytes: bytes)
  }

  /// - Precondition: There are 32 bytes.
  package init(bytes: [UInt8]) {
    self.init(SHA256Hash(bytes: bytes.span))
  }

  private init(_ hash: SHA256Hash) {
    words = (hash.words[0], hash.words[1], hash.words[2], hash.words[3])
  }

  // MARK: Changing

  /// Adds an entity with its canonical content.
  package mutating func add(_ type: RecordType, _ id: EntityID, _ content: [UInt8]) {
    add(Self.hash(type, id, content))
  }

  /// Removes an entity that was added before.
  package mutating func remove(_ type: RecordType, _ id: EntityID, _ content: [UInt8]) {
    subtract(Self.hash(type, id, content))
  }

  /// Adds the tombstone of an entity whose record was removed.
  package mutating func addTombstone(_ id: EntityID) {
    add(Self.hash(Self.tombstone, id, []))
  }

  /// Takes the place of an entity's kind.
  private static let tombstone = RecordType(kind: 0, layout: RecordType.original)

  /// Precedes any layout other than the original one.
  private static let layoutMarker: UInt8 = 0xFF

  private static func hash(
    _ type: RecordType, _ id: EntityID, _ content: [UInt8]
  ) -> StateDigest {
    var hasher = SHA256Hasher()
    if type.layout != RecordType.original {
      hasher.update(layoutMarker)
      hasher.update(type.layout)
    }
    hasher.update(type.kind)
    hasher.update(id.words)
    hasher.update(content.span)
    return StateDigest(hasher.finish())
  }

  private mutating func add(_ other: StateDigest) {
    var carry = false
    words.0 = words.0.adding(other.words.0, &carry)
    words.1 = words.1.adding(other.words.1, &carry)
    words.2 = words.2.adding(other.words.2, &carry)
    words.3 = words.3.adding(other.words.3, &carry)
  }

  private mutating func subtract(_ other: StateDigest) {
    var borrow = false
    words.0 = words.0.subtracting(other.words.0, &borrow)
    words.1 = words.1.subtracting(other.words.1, &borrow)
    words.2 = words.2.subtracting(other.words.2, &borrow)
    words.3 = words.3.subtracting(other.words.3, &borrow)
  }

  // MARK: Comparing

  /// Tells whether two digests are the same.
  public static func == (left: StateDigest, right: StateDigest) -> Bool {
    left.words == right.words
  }

  /// Hashes the digest.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
  }
}

extension StateDigest: CustomStringConvertible {
  /// The 64 hexadecimal digits of ``bytes``.
  public var description: String { bytes.hexadecimal }
}

extension UInt64 {
  fileprivate func adding(_ other: UInt64, _ carry: inout Bool) -> UInt64 {
    let (sum, first) = addingReportingOverflow(other)
    let (result, second) = sum.addingReportingOverflow(carry ? 1 : 0)
    carry = first || second
    return result
  }

  fileprivate func subtracting(_ other: UInt64, _ borrow: inout Bool) -> UInt64 {
    let (difference, first) = subtractingReportingOverflow(other)
    let (result, second) = difference.subtractingReportingOverflow(borrow ? 1 : 0)
    borrow = first || second
    return result
  }
}
