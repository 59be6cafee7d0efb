/// LMDB's record of one tree (`MDB_db`): where it begins and how much is in it.
///
/// Those of the free list and of the main tree are in the meta pages; those of the named tables are
/// values of the main tree.
package struct TreeRecord: Sendable, Hashable {
  package static let byteCount = 48
  /// The root of an empty tree.
  package static let noRoot = UInt64.max

  package var pad: UInt32
  package var flags: UInt16
  package var depth: UInt16
  package var branchPages: UInt64
  package var leafPages: UInt64
  package var overflowPages: UInt64
  package var entries: UInt64
  package var root: UInt64

  /// Reads the record at an offset of some bytes.
  package init(_ bytes: [UInt8], at offset: Int = 0) {
    pad = bytes.integer(at: offset)
    flags = bytes.integer(at: offset + 4)
    depth = bytes.integer(at: offset + 6)
    branchPages = bytes.integer(at: offset + 8)
    leafPages = bytes.integer(at: offset + 16)
    overflowPages = bytes.integer(at: offset + 24)
    entries = bytes.integer(at: offset + 32)
    root = bytes.integer(at: offset + 40)
  }

  package var encoded: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    bytes.set(pad, at: 0)
    bytes.set(flags, at: 4)
    bytes.set(depth, at: 6)
    bytes.set(branchPages, at: 8)
    bytes.set(leafPages, at: 16)
    bytes.set(overflowPages, at: 24)
    bytes.set(entries, at: 32)
    bytes.set(root, at: 40)
    return bytes
  }
}
