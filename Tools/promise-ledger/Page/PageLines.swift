/// The lines of one list of the page, gathered into blocks.
///
/// A block is the text of an element that no browser runs. A line feed is only between lines, and no
/// stored text can end the element: `<` is escaped as JSON allows.
struct PageLines {
  private static let blockByteCount = 1 << 20

  let name: String
  private(set) var count = 0
  private var block: [UInt8] = []
  private var blockLineCount = 0

  init(_ name: String) { self.name = name }

  /// Adds a line.
  ///
  /// - Parameters:
  ///   - state: The word by which the list can be filtered.
  ///   - write: Receives a block when one is complete.
  mutating func add(_ state: String, _ record: Record, _ write: ([UInt8]) throws -> Void) throws {
    let line = JSONValue.array([
      .string(state), .strings(record.cells), record.json.clipped(to: Self.longestText),
    ])
    block.append(script: line)
    block.append(UInt8(ascii: "\n"))
    blockLineCount += 1
    count += 1
    if block.count >= Self.blockByteCount { try end(write) }
  }

  /// Passes on the lines of the last block.
  mutating func end(_ write: ([UInt8]) throws -> Void) throws {
    guard blockLineCount > 0 else { return }
    let start =
      "<script type=\"application/json\" data-list=\"\(name)\" data-lines=\"\(blockLineCount)\">"
    try write(Array(start.utf8) + block + Array("</script>\n".utf8))
    block.removeAll(keepingCapacity: true)
    blockLineCount = 0
  }

  /// Longer texts are cut, in bytes: a page is to be looked at, and the tool has the rest.
  private static let longestText = 1 << 17
}

extension [UInt8] {
  /// Adds JSON as an element of a script may contain it.
  mutating func append(script value: JSONValue) {
    for byte in value.description.utf8 {
      if byte == UInt8(ascii: "<") {
        append(contentsOf: "\\u003c".utf8)
      } else {
        append(byte)
      }
    }
  }
}

extension JSONValue {
  /// The value with the beginnings of texts that are too long.
  fileprivate func clipped(to byteCount: Int) -> JSONValue {
    switch self {
    case .string(let text) where text.utf8.count > byteCount:
      let beginning = text.clipped(to: byteCount / 4)
      return .string("\(beginning)... (\(text.utf8.count) bytes, of which the page has the first)")
    case .array(let values): return .array(values.map { $0.clipped(to: byteCount) })
    case .object(let members): return .object(members.mapValues { $0.clipped(to: byteCount) })
    default: return self
    }
  }
}
