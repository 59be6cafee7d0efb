/// A node of a page (`MDB_node`): an entry of a leaf, or a child of a branch.
package struct TreeNode: Sendable, Hashable {
  package static let headerByteCount = 8
  /// The value has pages of its own, and the node has the number of the first (`F_BIGDATA`).
  package static let bigData: UInt16 = 0x01
  /// The value is the record of a named table (`F_SUBDATA`).
  package static let subTree: UInt16 = 0x02

  /// Which node of its page it is, from 0.
  package let index: Int
  /// Where it begins in its page.
  package let offset: Int
  package let flags: UInt16
  /// Where its key lies in its page.
  package let key: Range<Int>
  /// Where its value, or the number of the page that has it, lies in its page; empty in a branch.
  package let value: Range<Int>
  /// How long its value is.
  package let valueByteCount: Int
  /// The page below, in a branch.
  package let child: UInt64

  /// `nil` if it does not lie inside its page.
  init?(index: Int, of page: TreePage) {
    let place = TreePage.place(ofNode: index)
    guard place + 2 <= TreePage.byteCount else { return nil }
    let bytes = page.bytes
    let offset = Int(bytes.integer(at: place, as: UInt16.self))
    guard offset >= TreePage.headerByteCount,
      offset + Self.headerByteCount <= TreePage.byteCount
    else { return nil }
    let low = bytes.integer(at: offset, as: UInt16.self)
    let high = bytes.integer(at: offset + 2, as: UInt16.self)
    flags = bytes.integer(at: offset + 4)
    let begin = offset + Self.headerByteCount
    let keyEnd = begin + Int(bytes.integer(at: offset + 6, as: UInt16.self))
    let isBranch = page.flags.contains(.branch)
    valueByteCount = isBranch ? 0 : Int(low) | Int(high) << 16
    let stored = flags & Self.bigData == 0 ? valueByteCount : 8
    let end = isBranch ? keyEnd : keyEnd + stored
    guard end <= TreePage.byteCount else { return nil }
    self.index = index
    self.offset = offset
    key = begin..<keyEnd
    value = keyEnd..<end
    child = UInt64(low) | UInt64(high) << 16 | UInt64(flags) << 32
  }

  /// The bytes of a node of a branch.
  package static func branch(key: [UInt8], page: UInt64) -> [UInt8] {
    header(UInt32(truncatingIfNeeded: page), UInt16(truncatingIfNeeded: page >> 32), key) + key
  }

  /// The bytes of a node of a leaf, with its value in it.
  package static func leaf(key: [UInt8], value: [UInt8], flags: UInt16 = 0) -> [UInt8] {
    header(UInt32(value.count), flags, key) + key + value
  }

  private static func header(_ word: UInt32, _ flags: UInt16, _ key: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: headerByteCount)
    bytes.set(word, at: 0)
    bytes.set(flags, at: 4)
    bytes.set(UInt16(key.count), at: 6)
    return bytes
  }
}
