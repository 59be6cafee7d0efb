/// A data file of LMDB 0.9 in memory, to be damaged or forged: 64-bit, little-endian, pages of 4 KiB.
package struct TreeFile: Sendable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  // MARK: Pages

  package var pageCount: Int { bytes.count / TreePage.byteCount }

  package subscript(page: Int) -> TreePage {
    get { TreePage(bytes[range(of: page)]) }
    set { bytes.replaceSubrange(range(of: page), with: newValue.bytes) }
  }

  private func range(of page: Int) -> Range<Int> {
    (page * TreePage.byteCount)..<((page + 1) * TreePage.byteCount)
  }

  /// The page, or `nil` if the file has none of that number.
  package func page(_ number: UInt64) -> TreePage? {
    number < UInt64(pageCount) ? self[Int(number)] : nil
  }

  /// Adds a page at the end, and records it in the newest meta page.
  ///
  /// - Parameter make: Receives the number of the page.
  /// - Returns: The number of the page; `nil` if none was made.
  @discardableResult
  package mutating func append(_ make: (UInt64) -> TreePage?) -> UInt64? {
    let number = UInt64(pageCount)
    guard let page = make(number) else { return nil }
    bytes += page.bytes
    bytes.set(number, at: newestMeta * TreePage.byteCount + Self.placeOfLastPage)
    return number
  }

  // MARK: Meta pages

  private static let placeOfFreeList = 40
  private static let placeOfMainTree = 88
  private static let placeOfLastPage = 136
  private static let placeOfTransaction = 144
  /// Page header and `MDB_meta` together.
  package static let metaByteCount = 152

  /// The page, 0 or 1, of the newest transaction.
  package var newestMeta: Int { transaction(ofMeta: 1) > transaction(ofMeta: 0) ? 1 : 0 }

  package func transaction(ofMeta page: Int) -> UInt64 {
    bytes.integer(at: page * TreePage.byteCount + Self.placeOfTransaction)
  }

  // MARK: Trees

  /// A tree, and the position of its record in the file.
  package struct Tree: Sendable, Hashable {
    /// `free`, `main`, or the name of the table.
    package let name: String
    package let record: TreeRecord
    package let placeOfRecord: Int
  }

  package static let freeListName = "free"
  package static let mainTreeName = "main"

  /// The free list, the main tree and the named tables of the newest transaction.
  package var trees: [Tree] {
    let meta = newestMeta * TreePage.byteCount
    let main = tree(Self.mainTreeName, at: meta + Self.placeOfMainTree)
    var tables: [Tree] = []
    forEachPage(of: main) { number, page, _ in
      guard page.flags.contains(.leaf) else { return }
      for node in page.nodes where node.flags & TreeNode.subTree != 0 {
        guard node.value.count == TreeRecord.byteCount else { continue }
        let name = String(decoding: page.bytes[node.key], as: UTF8.self)
        tables.append(tree(name, at: number * TreePage.byteCount + node.value.lowerBound))
      }
    }
    return [tree(Self.freeListName, at: meta + Self.placeOfFreeList), main] + tables
  }

  package func tree(named name: String) -> Tree? { trees.first { $0.name == name } }

  private func tree(_ name: String, at place: Int) -> Tree {
    Tree(name: name, record: TreeRecord(bytes, at: place), placeOfRecord: place)
  }

  /// Writes over the record of a tree.
  package mutating func setRecord(of tree: Tree, to record: TreeRecord) {
    bytes.replaceSubrange(
      tree.placeOfRecord..<(tree.placeOfRecord + TreeRecord.byteCount), with: record.encoded)
  }

  /// Visits every page of a tree once, from the root, with the overflow pages of its values.
  ///
  /// - Parameter body: Gets the number, the page, and how deep it lies: 1 for the root.
  package func forEachPage(of tree: Tree, _ body: (Int, TreePage, Int) -> Void) {
    guard tree.record.root != TreeRecord.noRoot else { return }
    var seen: Set<UInt64> = []
    var waiting = [(number: tree.record.root, depth: 1)]
    while let (number, depth) = waiting.popLast() {
      guard let page = page(number), seen.insert(number).inserted else { continue }
      body(Int(number), page, depth)
      if page.flags.contains(.branch) {
        waiting += page.nodes.reversed().map { ($0.child, depth + 1) }
      } else if page.flags.contains(.leaf) {
        let big = page.nodes.filter { $0.flags & TreeNode.bigData != 0 && $0.value.count == 8 }
        waiting += big.reversed().map {
          (page.bytes.integer(at: $0.value.lowerBound), depth + 1)
        }
      }
    }
  }
}
