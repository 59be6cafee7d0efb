internal import LedgerSystem

/// The pages of a data file that its newest meta page leads to, as far as they are intact.
///
/// Unlike ``TreeCheck``, it goes on after damage, for a file that LMDB must not open any more. It reads with
/// `pread` only.
package struct ReachablePages: Sendable {
  /// The size of a page in bytes.
  package private(set) var pageSize = Self.usualPageSize
  /// The pages of trees and of large values that were reached.
  package private(set) var pages: Set<UInt64> = []
  /// The offsets in the file of the entries of tables. A page also holds remains of removed entries.
  package private(set) var nodes: Set<UInt64> = []
  /// Whether both meta pages and everything that was reached are intact.
  package private(set) var isWhole = true

  private static let usualPageSize = 4_096
  /// The sizes that a page may have, the usual ones first.
  private static let pageSizes = [usualPageSize, 16_384, 8_192, 32_768, 2_048, 1_024, 512]

  /// Walks the trees of a data file.
  ///
  /// - Throws: ``LMDBError`` if the file cannot be read at all. A missing file has no pages.
  package init(ofFileAt path: String) throws(LMDBError) {
    guard let file = try DataFile(path: path) else {
      isWhole = false
      return
    }
    let first = try Self.meta(0, of: file, at: 0)
    if let size = first?.usablePageSize {
      pageSize = size
    } else {
      pageSize = try Self.pageSizeByTheSecondMeta(of: file)
    }
    let second = try Self.meta(1, of: file, at: UInt64(pageSize))
    guard let newest = [first, second].compactMap(\.self).max(by: { $0.isOlder(than: $1) }) else {
      isWhole = false
      return
    }
    if let first, let second {
      // Metas take turns; a gap means that one of them was lost.
      let (low, high) = (
        min(first.transactionID, second.transactionID),
        max(first.transactionID, second.transactionID)
      )
      isWhole = high <= 1 || high - low == 1
    } else {
      isWhole = false
    }
    var walk = Walk(PageReader(descriptor: file.descriptor, pageSize: pageSize))
    walk.visit(newest.main, isList: true)
    pages = walk.pages
    nodes = walk.nodes
    isWhole = isWhole && walk.isWhole
  }

  private static func meta(
    _ index: Int, of file: borrowing DataFile, at offset: UInt64
  ) throws(LMDBError) -> MetaPage? {
    guard let meta = MetaPage(try file.read(MetaPage.byteCount, at: offset)),
      meta.magic == MetaPage.magic, meta.version == MetaPage.version, meta.usablePageSize != nil,
      meta.implausibility(index: index) == nil
    else { return nil }
    return meta
  }

  private static func pageSizeByTheSecondMeta(
    of file: borrowing DataFile
  ) throws(LMDBError) -> Int {
    for size in pageSizes {
      if try meta(1, of: file, at: UInt64(size))?.usablePageSize == size { return size }
    }
    return usualPageSize
  }
}

extension MetaPage {
  fileprivate var usablePageSize: Int? {
    (512...32_768).contains(pageSize) && pageSize & (pageSize - 1) == 0 ? Int(pageSize) : nil
  }

  fileprivate func isOlder(than other: MetaPage) -> Bool {
    transactionID < other.transactionID
  }
}

/// A walk that skips what is damaged.
private struct Walk: ~Copyable {
  private var reader: PageReader
  private(set) var pages: Set<UInt64> = []
  private(set) var nodes: Set<UInt64> = []
  private(set) var isWhole = true

  /// The longest path in a tree (`CURSOR_STACK`).
  private static let maximumDepth = 32

  init(_ reader: consuming PageReader) {
    self.reader = reader
  }

  /// - Parameter isList: Whether its entries are trees.
  mutating func visit(_ tree: MetaPage.Tree, isList: Bool) {
    guard tree.root != MetaPage.noRoot else { return }
    guard (1...Self.maximumDepth).contains(Int(tree.depth)) else {
      isWhole = false
      return
    }
    var trees: [MetaPage.Tree] = []
    visit(tree.root, level: 0, of: tree, isList, &trees)
    // The pages of other trees would take the place of these in the reader.
    for tree in trees { visit(tree, isList: false) }
  }

  private mutating func visit(
    _ number: UInt64, level: Int, of tree: MetaPage.Tree, _ isList: Bool,
    _ trees: inout [MetaPage.Tree]
  ) {
    let isLeaf = level + 1 >= Int(tree.depth)
    guard number >= 2, number <= UInt64(Int64.max) / UInt64(reader.pageSize) - 1,
      !pages.contains(number), let page = reader.page(number, level: level),
      page.damage(number: number, isLeaf: isLeaf, minimum: 1) == nil
    else {
      isWhole = false
      return
    }
    pages.insert(number)
    for index in 0..<page.nodeCount {
      let node = page.offset(ofNode: index)
      if isLeaf, !isList { nodes.insert(number * UInt64(reader.pageSize) + UInt64(node)) }
      if !isLeaf {
        visit(page.child(at: node), level: level + 1, of: tree, isList, &trees)
      } else if page.nodeFlags(at: node) == TreePage.subtree, isList,
        page.valueByteCount(at: node) == MetaPage.Tree.byteCount
      {
        trees.append(MetaPage.Tree(page, at: page.valueOffset(at: node)))
      } else if page.nodeFlags(at: node) == TreePage.bigData {
        let first: UInt64 = page.word(page.valueOffset(at: node))
        let count =
          (TreePage.headerByteCount - 1 + page.valueByteCount(at: node))
          / reader.pageSize + 1
        for offset in 0..<UInt64(clamping: min(count, 2)) { pages.insert(first &+ offset) }
      }
    }
  }
}
