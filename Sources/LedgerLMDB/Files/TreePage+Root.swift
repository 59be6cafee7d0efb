extension TreePage {
  /// The purpose of a tree that a meta page names, which decides how its nodes look.
  enum RootContent {
    /// Named tables: every node of a leaf is marked as a tree of its own, except the
    /// ``TransactionStamp``.
    case tables
    /// Transaction numbers: every key has 8 bytes.
    case freeList
  }

  /// The reason why this page cannot be the root of `tree`; nil when it can.
  func implausibility(asRootOf tree: MetaPage.Tree, _ content: RootContent) -> String? {
    let isLeaf = tree.depth == 1
    if let what = damage(number: tree.root, isLeaf: isLeaf, minimum: isLeaf ? 0 : 2) { return what }
    guard isLeaf else { return nil }
    if UInt64(nodeCount) != tree.entries {
      return "it has \(nodeCount) entries instead of \(tree.entries)"
    }
    return (0..<nodeCount).lazy.compactMap { index in
      implausibility(ofNodeAt: offset(ofNode: index), content)
    }.first
  }

  private func implausibility(ofNodeAt offset: Int, _ content: RootContent) -> String? {
    switch content {
    case .tables:
      let isStamp = valueByteCount(at: offset) == TransactionStamp.valueByteCount
      return nodeFlags(at: offset) & Self.subtree == 0 && !isStamp ? "a node is not a table" : nil
    case .freeList:
      return unsafe key(at: offset).count == 8 ? nil : "a node is not the key of a transaction"
    }
  }
}
