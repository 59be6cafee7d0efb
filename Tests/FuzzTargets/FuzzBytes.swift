/// Reads numbers from bytes that have no format. At the end, all numbers are 0.
struct FuzzBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number() -> Int { Int(byte()) | Int(byte()) << 8 }

  /// The next bytes, or as many of them as there are.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// All bytes that remain.
  mutating func all() -> [UInt8] { bytes(rest.count) }
}
