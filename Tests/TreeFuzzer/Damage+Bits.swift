import LedgerTreeSupport

/// Bits that turned over.
extension Damage {
  mutating func flipInHeader() {
    guard let page = choosePage(of: Self.treePages) else { return }
    let begin = page * TreePage.byteCount
    flip(in: begin..<(begin + TreePage.headerByteCount), "header")
  }

  mutating func flipInOffsets() {
    guard let page = choosePage(of: [.branch, .leaf]) else { return }
    let begin = page * TreePage.byteCount
    flip(in: (begin + TreePage.headerByteCount)..<(begin + file[page].lower), "offsets")
  }

  mutating func flipInNode() {
    guard let (begin, node) = chooseNode() else { return }
    let header = begin + node.offset
    flip(in: header..<(header + TreeNode.headerByteCount), "header of node \(node.index)")
  }

  mutating func flipInKey() {
    guard let (begin, node) = chooseNode() else { return }
    flip(
      in: (begin + node.key.lowerBound)..<(begin + node.key.upperBound),
      "key of node \(node.index)")
  }

  mutating func flipInValue() {
    guard let page = choosePage(of: [.leaf, .overflow]) else { return }
    let begin = page * TreePage.byteCount
    if file[page].flags.contains(.overflow) {
      flip(in: (begin + TreePage.headerByteCount)..<(begin + TreePage.byteCount), "overflow")
    } else if let node = file[page].nodes.randomElement(using: &generator) {
      flip(
        in: (begin + node.value.lowerBound)..<(begin + node.value.upperBound),
        "value of node \(node.index)")
    }
  }

  mutating func flipInRecord() {
    guard let tree = file.trees.randomElement(using: &generator) else { return }
    note(tree.name)
    flip(in: tree.placeOfRecord..<(tree.placeOfRecord + TreeRecord.byteCount), "record")
  }

  mutating func flipInMeta() {
    guard let page = choosePage(of: [.meta]) else { return }
    let begin = page * TreePage.byteCount
    flip(in: begin..<(begin + TreeFile.metaByteCount), "meta")
  }

  /// A node of a branch or a leaf, and where its page begins.
  mutating func chooseNode() -> (begin: Int, node: TreeNode)? {
    guard let page = choosePage(of: [.branch, .leaf]),
      let node = file[page].nodes.randomElement(using: &generator)
    else { return nil }
    return (page * TreePage.byteCount, node)
  }
}
