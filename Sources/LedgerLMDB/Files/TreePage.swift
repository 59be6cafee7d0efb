/// A branch or a leaf of a tree, read in place with bounds checks.
///
/// `MDB_page`: page number (8), pad (2), flags (2), the end of the node offsets (2, `mp_lower`) and
/// the beginning of the nodes (2, `mp_upper`); then 16-bit node offsets in the order of keys.
/// `MDB_node`: size of the value in two halves (4), flags (2), size of the key (2), key, value. In
/// a branch the size and the flags together are the number of the child page, and there is no
/// value.
@safe
struct TreePage {
  static let headerByteCount = 16
  static let nodeHeaderByteCount = 8
  static let branchFlag: UInt16 = 0x01
  static let leafFlag: UInt16 = 0x02
  static let overflowFlag: UInt16 = 0x04
  /// `F_BIGDATA`: the value is the number of the first of its overflow pages.
  static let bigData: UInt16 = 0x01
  /// `F_SUBDATA`: the value is the record of a tree.
  static let subtree: UInt16 = 0x02

  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
  }

  func word<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: T.Type = T.self) -> T {
    T(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  var number: UInt64 { word(0) }
  var flags: UInt16 { word(10) }
  var lower: Int { Int(word(12, UInt16.self)) }
  var upper: Int { Int(word(14, UInt16.self)) }
  var nodeCount: Int { (lower - Self.headerByteCount) / 2 }

  /// The offset at which a node begins.
  func offset(ofNode index: Int) -> Int {
    Int(word(Self.headerByteCount + 2 * index, UInt16.self))
  }

  func nodeFlags(at offset: Int) -> UInt16 { word(offset + 4) }
  func valueByteCount(at offset: Int) -> Int { Int(word(offset, UInt32.self)) }
  func child(at offset: Int) -> UInt64 {
    UInt64(word(offset, UInt32.self)) | UInt64(nodeFlags(at: offset)) << 32
  }

  func key(at offset: Int) -> UnsafeRawBufferPointer {
    let start = offset + Self.nodeHeaderByteCount
    let count = Int(word(offset + 6, UInt16.self))
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
  }

  /// The offset at which the value of a leaf's node begins.
  func valueOffset(at offset: Int) -> Int {
    offset + Self.nodeHeaderByteCount + Int(word(offset + 6, UInt16.self))
  }

  /// The reason why the page cannot be trusted, in a few words. Nil if its header is valid and its
  /// nodes lie as LMDB places them: one after the other, without a gap, from `upper` to the end.
  ///
  /// - Parameter minimum: The minimum number of nodes.
  func damage(number expected: UInt64, isLeaf: Bool, minimum: Int) -> String? {
    if number != expected { return "its page number is \(number)" }
    if flags != (isLeaf ? Self.leafFlag : Self.branchFlag) { return "its flags are \(flags)" }
    let (lower, upper, end) = (lower, upper, unsafe bytes.count)
    guard lower >= Self.headerByteCount, lower % 2 == 0, lower <= upper, upper <= end else {
      return "its bounds are \(lower) and \(upper)"
    }
    if nodeCount < minimum { return "it has \(nodeCount) nodes" }
    var used = 0
    for index in 0..<nodeCount {
      let offset = offset(ofNode: index)
      guard offset >= upper, offset % 2 == 0, offset + Self.nodeHeaderByteCount <= end else {
        return "node \(index) is at \(offset)"
      }
      var size = Self.nodeHeaderByteCount + Int(word(offset + 6, UInt16.self))
      if isLeaf {
        let isBig = nodeFlags(at: offset) & Self.bigData != 0
        size += isBig ? 8 : valueByteCount(at: offset)
      }
      guard offset + size <= end else { return "node \(index) has \(size) bytes at \(offset)" }
      used += (size + 1) & ~1
    }
    return used == end - upper ? nil : "its nodes have \(used) bytes instead of \(end - upper)"
  }
}
