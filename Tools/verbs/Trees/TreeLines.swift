import LedgerRuntime

/// The drawing of a tree, line by line.
struct TreeLines {
  /// The number of levels whose lines are drawn. Deeper ones begin with a mark, so that a long chain does not make
  /// long lines.
  private static let levelCount = 24

  private struct Item {
    let depth: Int
    /// `nil` for the line that tells how many promises are left out.
    let node: PromiseTree.Node?
    let leftOutCount: Int
    /// Whether nothing follows below the same promise.
    var isLast = true
  }

  private let items: [Item]
  private let hasWholeIDs: Bool
  private let isASCII: Bool

  init(of tree: PromiseTree, hasWholeIDs: Bool, isASCII: Bool) {
    items = Self.items(of: tree)
    self.hasWholeIDs = hasWholeIDs
    self.isASCII = isASCII
  }

  /// Passes on the lines, from top to bottom.
  func forEachLine(_ body: (String) throws -> Void) throws {
    // Whether something follows below the promise at each level.
    var goesOn: [Bool] = []
    for item in items {
      if goesOn.count > item.depth { goesOn.removeSubrange(item.depth...) }
      try body(guides(goesOn, item) + text(of: item))
      goesOn.append(!item.isLast)
    }
  }

  private func text(of item: Item) -> String {
    guard let node = item.node else {
      return "\(isASCII ? "..." : "…") \(item.leftOutCount) more"
    }
    return node.words(hasWholeID: hasWholeIDs)
  }

  private func guides(_ goesOn: [Bool], _ item: Item) -> String {
    guard item.depth > 0 else { return "" }
    let hidden = max(0, goesOn.count - Self.levelCount)
    var line = hidden == 0 ? "" : isASCII ? "~ " : "┄ "
    for isDrawn in goesOn.dropFirst(max(1, hidden)) {
      line += isDrawn ? (isASCII ? "|  " : "│  ") : "   "
    }
    if isASCII { return line + (item.isLast ? "`- " : "|- ") }
    return line + (item.isLast ? "└─ " : "├─ ")
  }

  // MARK: Items

  private static func items(of tree: PromiseTree) -> [Item] {
    var items: [Item] = []
    // The promises above the current place that lack promises below them.
    var cut: [Item] = []
    for node in tree.nodes {
      while let last = cut.last, last.depth > node.depth { items.append(cut.removeLast()) }
      items.append(Item(depth: node.depth, node: node, leftOutCount: 0))
      if node.leftOutCount > 0 {
        cut.append(Item(depth: node.depth + 1, node: nil, leftOutCount: node.leftOutCount))
      }
    }
    items += cut.reversed()
    markLast(in: &items)
    return items
  }

  private static func markLast(in items: inout [Item]) {
    // Whether something below the same promise was seen at each level, from the end.
    var isFollowed: [Bool] = []
    for index in items.indices.reversed() {
      let depth = items[index].depth
      while isFollowed.count <= depth { isFollowed.append(false) }
      isFollowed.removeSubrange((depth + 1)...)
      items[index].isLast = !isFollowed[depth]
      isFollowed[depth] = true
    }
  }
}
