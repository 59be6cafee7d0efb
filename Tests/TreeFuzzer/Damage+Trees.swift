import LedgerTreeSupport

/// Trees that LMDB would not have made.
extension Damage {
  /// Changes a field of LMDB's record of a tree.
  mutating func changeRecord() {
    guard let tree = file.trees.randomElement(using: &generator) else { return }
    var record = tree.record
    let step = UInt64(bitPattern: Int64(chance(1, of: 2) ? random(1..<4) : -random(1..<4)))
    switch random(0..<8) {
    case 0, 1: record.entries &+= step
    case 2: record.leafPages &+= step
    case 3: record.branchPages &+= step
    case 4: record.overflowPages &+= step
    case 5: record.depth = UInt16(random(0..<6))
    case 6: record.root = UInt64(random(0..<file.pageCount))
    default:
      // Another tree, or the remains of an older one.
      if let other = file.trees.randomElement(using: &generator) { record = other.record }
    }
    file.setRecord(of: tree, to: record)
    note("\(tree.name) is \(record), it was \(tree.record)")
  }

  /// Points a node of a branch, or one whose value has pages of its own, at another page.
  mutating func changeChild() {
    let kind: PageKind = chance(2, of: 3) ? .branch : .leaf
    guard let page = choosePage(of: [kind]) else { return }
    let nodes = file[page].nodes.filter { kind == .branch || $0.flags & TreeNode.bigData != 0 }
    guard let node = nodes.randomElement(using: &generator) else { return }
    let sibling = nodes.randomElement(using: &generator) ?? node
    let tree = chance(1, of: 2) ? place?.tree : nil
    let target: UInt64 =
      switch random(0..<4) {
      case 0: UInt64(page)
      case 1: kind == .branch ? sibling.child : file.bytes.integer(at: begin(page, sibling))
      default: UInt64(choosePage(of: Self.treePages, in: tree) ?? page)
      }
    if kind == .branch {
      file[page].setChild(of: node, to: target)
    } else {
      file.bytes.set(target, at: begin(page, node))
    }
    note("node \(node.index) of page \(page) leads to \(target)")
  }

  private func begin(_ page: Int, _ node: TreeNode) -> Int {
    page * TreePage.byteCount + node.value.lowerBound
  }

  /// Puts branches above a tree that lead to the same page many times over: a walk would not end
  /// within a lifetime.
  mutating func plantBomb() {
    guard let page = choosePage(of: [.branch, .leaf]), let name = place?.tree,
      let tree = file.tree(named: name)
    else { return }
    var keys = file[page].nodes.map { Array(file[page].bytes[$0.key]) }.filter { !$0.isEmpty }
    if chance(1, of: 2) {
      // Keys of 8 bytes in an order that holds.
      keys = (0..<random(2..<120)).map { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
      }
    }
    guard keys.count > 1 else { return }
    var record = tree.record
    let height = random(1..<28)
    for _ in 0..<height {
      let child = record.root
      let root = file.append { .branch(number: $0, keys.map { ($0, child) }) }
      guard let root else { return }
      record.root = root
      record.depth += 1
      record.branchPages += 1
    }
    if chance(1, of: 3) { record.entries = UInt64(random(1..<100_000)) }
    if chance(1, of: 3) { record.depth = tree.record.depth }
    file.setRecord(of: tree, to: record)
    note("\(height) branches with \(keys.count) children each above \(name)")
  }

  /// Removes an entry, and may adjust the count.
  mutating func loseNode() {
    guard let page = choosePage(of: [.branch, .leaf]), let name = place?.tree,
      let node = file[page].nodes.randomElement(using: &generator)
    else { return }
    let isLeaf = file[page].flags.contains(.leaf)
    file[page].remove(node)
    let isCounted = isLeaf && chance(1, of: 2)
    if isCounted, let tree = file.tree(named: name) {
      var record = tree.record
      record.entries &-= 1
      file.setRecord(of: tree, to: record)
    }
    note("node \(node.index) of page \(page) of \(name)\(isCounted ? ", and counted" : "")")
  }

  /// Changes the order of two nodes.
  mutating func reorder() {
    guard let page = choosePage(of: [.branch, .leaf]) else { return }
    let nodes = file[page].nodes
    guard let first = nodes.randomElement(using: &generator),
      let second = nodes.randomElement(using: &generator)
    else { return }
    let begin = page * TreePage.byteCount
    file.bytes.set(UInt16(second.offset), at: begin + TreePage.place(ofNode: first.index))
    // Twice the same instead, now and then.
    if chance(3, of: 4) {
      file.bytes.set(UInt16(first.offset), at: begin + TreePage.place(ofNode: second.index))
    }
    note("nodes \(first.index) and \(second.index) of page \(page)")
  }
}
