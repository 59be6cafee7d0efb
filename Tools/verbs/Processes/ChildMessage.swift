/// A message from the child that reads a ledger to its parent.
enum ChildMessage: Equatable {
  /// Bytes for standard output.
  case data([UInt8])
  /// A line for standard error.
  case note(String)
  /// The text that completes the output if the child ends here.
  case closing(Closing)
  /// The child is still running.
  case alive
  /// The child is done.
  case end(Status)
  /// The content of a file that records how far the output so far goes.
  case mark([UInt8])
  /// The child is still running, and has done a part of the events that it has to look at.
  case progress(done: UInt64, total: UInt64)

  /// The largest message in bytes.
  static let maximumByteCount = 1 << 20
  private static let headerByteCount = 5

  var encoded: [UInt8] {
    let (type, content): (UInt8, [UInt8]) =
      switch self {
      case .data(let bytes): (1, bytes)
      case .note(let text): (2, Array(text.utf8))
      case .closing(let closing): (3, closing.encoded)
      case .alive: (4, [])
      case .end(let status): (5, [UInt8(status.rawValue)])
      case .mark(let bytes): (6, bytes)
      case .progress(let done, let total): (7, Self.bytes(done) + Self.bytes(total))
      }
    let length = UInt32(content.count)
    return [type] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + content
  }

  /// Removes the first complete message from the received bytes.
  ///
  /// - Returns: `nil` if the message is not complete yet.
  /// - Throws: ``Malformed``: our child never sends this, unless its memory is damaged.
  static func take(from bytes: inout [UInt8]) throws(Malformed) -> ChildMessage? {
    guard bytes.count >= headerByteCount else { return nil }
    let length = (1...4).reduce(0) { $0 | Int(bytes[$1]) << (8 * ($1 - 1)) }
    guard length <= maximumByteCount else { throw Malformed() }
    guard bytes.count >= headerByteCount + length else { return nil }
    let content = Array(bytes[headerByteCount..<(headerByteCount + length)])
    defer { bytes.removeFirst(headerByteCount + length) }
    switch bytes[0] {
    case 1: return .data(content)
    case 2: return .note(String(decoding: content, as: UTF8.self))
    case 3:
      guard let closing = Closing(decoding: content) else { throw Malformed() }
      return .closing(closing)
    case 4: return .alive
    case 5:
      guard let code = content.first, let status = Status(rawValue: Int32(code)) else {
        throw Malformed()
      }
      return .end(status)
    case 6: return .mark(content)
    case 7:
      guard content.count == 16 else { throw Malformed() }
      return .progress(done: number(content.prefix(8)), total: number(content.suffix(8)))
    default: throw Malformed()
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  struct Malformed: Error {}
}
