internal import LedgerLibC

/// The keys of the parent that enclose those of a page.
@safe
struct KeyBounds {
  var lower: UnsafeRawBufferPointer?
  var upper: UnsafeRawBufferPointer?
}

extension TreePage {
  /// The problem with the keys of a page, if any.
  func disorder(
    isLeaf: Bool, _ tree: TreeCheck.Tree, between bounds: KeyBounds
  ) -> String? {
    var previous = unsafe bounds.lower
    // The first key of a branch is never used.
    for index in (isLeaf ? 0 : 1)..<nodeCount {
      let key = unsafe key(at: offset(ofNode: index))
      let count = key.count
      guard tree.hasIntegerKeys ? count == 8 : (1...511).contains(count) else {
        return "a key of \(tree.name) has \(count) bytes"
      }
      if let before = unsafe previous {
        let isFirst = index == (isLeaf ? 0 : 1)
        let order = unsafe Self.compare(before, key, tree)
        // The first key of a leaf may be equal to the separator.
        guard order < 0 || isFirst && isLeaf && order == 0 else {
          return "the keys of \(tree.name) are out of order"
        }
      }
      unsafe previous = key
    }
    if let last = unsafe previous, let upper = unsafe bounds.upper,
      unsafe Self.compare(last, upper, tree) >= 0
    {
      return "the keys of \(tree.name) are out of order"
    }
    return nil
  }

  @inline(__always)
  private static func compare(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ tree: TreeCheck.Tree
  ) -> Int {
    if tree.hasIntegerKeys {
      let first = unsafe UInt64(littleEndian: first.loadUnaligned(as: UInt64.self))
      let second = unsafe UInt64(littleEndian: second.loadUnaligned(as: UInt64.self))
      return first < second ? -1 : first == second ? 0 : 1
    }
    return unsafe first.compared(to: second)
  }
}

extension UnsafeRawBufferPointer {
  /// Negative, zero or positive, in the order of byte keys: byte by byte, the shorter one first.
  func compared(to other: UnsafeRawBufferPointer) -> Int {
    let shared = Swift.min(count, other.count)
    if shared > 0, let first = baseAddress, let second = other.baseAddress {
      let order = unsafe memcmp(first, second, shared)
      if order != 0 { return Int(order) }
    }
    return count - other.count
  }
}
