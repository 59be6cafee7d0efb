/// What the child that reads a ledger tells the process that started it.
enum ChildMessage: Equatable {
  /// Bytes for standard output.
  case data([UInt8])
  /// A line for standard error.
  case note(String)
  /// What makes the output whole should the child end here.
  case closing(Closing)
  /// It goes on.
  case alive
  /// It is done.
  case end(Status)

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
      }
    let length = UInt32(content.count)
    return [type] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + content
  }

  /// Takes the first whole message off what came.
  ///
  /// - Returns: `nil` if more must come.
  /// - Throws: ``Malformed``: no child of ours says this, unless its memory is damaged.
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
    default: throw Malformed()
    }
  }

  struct Malformed: Error {}
}
