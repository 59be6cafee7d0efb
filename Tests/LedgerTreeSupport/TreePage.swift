/// One page of a data file of LMDB 0.9, parsed and assembled without LMDB.
///
/// Nothing in it is trusted, so a damaged page can be parsed, too: parts that do not lie inside the
/// page are ignored.
package struct TreePage: Sendable, Hashable {
  package static let byteCount = 4096
  /// Page number, pad, flags, and the bounds of the free space or the number of overflow pages.
  package static let headerByteCount = 16

  /// `mp_flags`.
  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let branch = Flags(rawValue: 0x01)
    package static let leaf = Flags(rawValue: 0x02)
    package static let overflow = Flags(rawValue: 0x04)
    package static let meta = Flags(rawValue: 0x08)
  }

  /// Always as many as a page has.
  package private(set) var bytes: [UInt8]

  /// A page of these bytes, padded with zeros.
  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes.prefix(Self.byteCount))
    self.bytes += [UInt8](repeating: 0, count: Self.byteCount - self.bytes.count)
  }

  package subscript(offset: Int) -> UInt8 {
    get { bytes[offset] }
    set { bytes[offset] = newValue }
  }

  // MARK: Header

  package var number: UInt64 {
    get { bytes.integer(at: 0) }
    set { bytes.set(newValue, at: 0) }
  }

  package var flags: Flags {
    get { Flags(rawValue: bytes.integer(at: 10)) }
    set { bytes.set(newValue.rawValue, at: 10) }
  }

  /// The end of the offsets of the nodes.
  package var lower: Int {
    get { Int(bytes.integer(at: 12, as: UInt16.self)) }
    set { bytes.set(UInt16(truncatingIfNeeded: newValue), at: 12) }
  }

  /// The beginning of the nodes.
  package var upper: Int {
    get { Int(bytes.integer(at: 14, as: UInt16.self)) }
    set { bytes.set(UInt16(truncatingIfNeeded: newValue), at: 14) }
  }

  /// On the first page of a value that has pages of its own: how many.
  package var overflowPageCount: UInt32 {
    get { bytes.integer(at: 12) }
    set { bytes.set(newValue, at: 12) }
  }

  // MARK: Nodes

  /// The nodes that lie inside, by the order of their offsets.
  package var nodes: [TreeNode] {
    let count = max(0, min(lower, Self.byteCount) - Self.headerByteCount) / 2
    return (0..<count).compactMap { TreeNode(index: $0, of: self) }
  }

  /// The position of a node's offset.
  package static func place(ofNode index: Int) -> Int { headerByteCount + 2 * index }

  /// Points a node of a branch at another page.
  package mutating func setChild(of node: TreeNode, to page: UInt64) {
    bytes.set(UInt16(truncatingIfNeeded: page), at: node.offset)
    bytes.set(UInt16(truncatingIfNeeded: page >> 16), at: node.offset + 2)
    bytes.set(UInt16(truncatingIfNeeded: page >> 32), at: node.offset + 4)
  }

  /// Writes over the value of a node, which keeps its length.
  package mutating func setValue(of node: TreeNode, to value: [UInt8]) {
    for (offset, byte) in zip(node.value, value) { bytes[offset] = byte }
  }

  /// Takes a node's offset away; its bytes stay where they are.
  package mutating func remove(_ node: TreeNode) {
    let end = min(lower, Self.byteCount)
    let place = Self.place(ofNode: node.index)
    guard place + 2 <= end else { return }
    bytes.replaceSubrange(place..<(end - 2), with: Array(bytes[(place + 2)..<end]))
    lower -= 2
  }

  // MARK: Making

  /// A page of nodes, in this order.
  ///
  /// - Returns: `nil` if they do not fit.
  package init?(number: UInt64, _ flags: Flags, _ nodes: [[UInt8]]) {
    self.init([])
    self.number = number
    self.flags = flags
    lower = Self.headerByteCount + 2 * nodes.count
    upper = Self.byteCount
    for (index, node) in nodes.enumerated() {
      // Nodes lie at even offsets.
      let offset = (upper - node.count) & ~1
      guard offset >= lower else { return nil }
      bytes.replaceSubrange(offset..<(offset + node.count), with: node)
      bytes.set(UInt16(offset), at: Self.place(ofNode: index))
      upper = offset
    }
  }

  /// A branch with these children; LMDB ignores the key of the first.
  package static func branch(
    number: UInt64, _ children: [(key: [UInt8], page: UInt64)]
  ) -> TreePage? {
    TreePage(
      number: number, .branch,
      children.enumerated().map { index, child in
        TreeNode.branch(key: index == 0 ? [] : child.key, page: child.page)
      })
  }

  /// A leaf with these entries.
  package static func leaf(
    number: UInt64, _ entries: [(key: [UInt8], value: [UInt8])]
  ) -> TreePage? {
    TreePage(number: number, .leaf, entries.map { TreeNode.leaf(key: $0.key, value: $0.value) })
  }
}
