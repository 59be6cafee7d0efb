/// The lines of the page, gathered into blocks: each is the text of an element that no browser runs.
struct PageBlocks {
  private static let byteCount = 1 << 20

  private struct Block {
    var bytes: [UInt8] = []
    var lineCount = 0
  }

  private var blocks: [PageList: Block] = [:]

  /// Adds a line.
  ///
  /// - Parameter write: Receives a block when one is complete.
  mutating func add(
    _ list: PageList, _ line: [UInt8], _ write: ([UInt8]) throws -> Void
  ) rethrows {
    blocks[list, default: Block()].bytes += line
    blocks[list]?.bytes.append(UInt8(ascii: "\n"))
    blocks[list]?.lineCount += 1
    if let block = blocks[list], block.bytes.count >= Self.byteCount { try end(list, write) }
  }

  /// Passes on what is left of every list.
  mutating func end(_ write: ([UInt8]) throws -> Void) rethrows {
    for list in PageList.allCases { try end(list, write) }
  }

  private mutating func end(_ list: PageList, _ write: ([UInt8]) throws -> Void) rethrows {
    guard let block = blocks.removeValue(forKey: list) else { return }
    let start =
      "<script type=\"application/json\" data-list=\"\(list.rawValue)\" data-lines=\"\(block.lineCount)\">"
    try write(Array(start.utf8) + block.bytes + Array("</script>\n".utf8))
  }
}
