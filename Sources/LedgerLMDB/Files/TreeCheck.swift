/// The problem with a page.
struct PageDamage: Error, Hashable {
  let page: UInt64
  let what: String
  /// Whether the pages can be walked all the same: entries or tables are missing, or there are too
  /// many.
  var isMiscount = false
  /// Whether the only problem is that no tree contains the page. Writing is still safe.
  var isLeak = false
}

/// Walks the trees of a data file with bounds checks, before LMDB does.
///
/// LMDB trusts every header, offset and page number. A flipped bit there makes it read outside the
/// page, stop the process with an assertion, or return a value that was never stored. Here each
/// page must be the one that its parent names, of the kind that the depth demands, with its nodes
/// inside, and its keys in ascending order and between the separators of its parent. No page may be
/// reached twice or be free, so a walk visits at most as many pages as the file has.
///
/// Pages are read with `pread` and not through a map: if the file is cut meanwhile, a missing page
/// is then a finding and not a signal. A read transaction of the caller keeps the pages from being
/// reused.
@safe
struct TreeCheck: ~Copyable {
  /// The pages to check.
  enum Extent: Sendable, Hashable {
    /// The main tree, the free list, and the paths to the first and the last leaf of each table.
    case paths
    /// Every page.
    case everything
  }

  /// A tree, and the format of its keys and values.
  struct Tree {
    enum Content: Hashable { case tables, freeList, integers, bytes }

    let name: String
    let record: MetaPage.Tree
    let content: Content

    var hasIntegerKeys: Bool { content == .freeList || content == .integers }
  }

  let meta: MetaPage
  let extent: Extent
  /// The tables that may exist.
  private let knownNames: Set<String>
  /// The number of pages that may still be read.
  private var budget: Int
  private var pages: PageReader
  private var reached: PageSet
  private var tables: [Tree] = []
  /// The counts of the current tree so far.
  private var found = MetaPage.Tree.none
  /// Whether the whole tree was walked.
  private var isWhole = true
  /// Whether all trees so far were walked to their ends.
  private var areAllWhole = true
  private var miscount: PageDamage?
  /// The transaction that wrote the list of tables, according to its stamp.
  private var stamp: UInt64?
  private var visitCount = 0
  /// The records of the free list, to be compared with the reached pages at the end.
  private var freed: [FreedPages] = []
  /// Called every ``pulse`` pages; ends the walk when it returns false.
  private let goesOn: () -> Bool

  private static let pulse = 64

  init(
    _ pages: consuming PageReader, meta: MetaPage, extent: Extent, tables knownNames: Set<String>,
    budget: Int, while goesOn: @escaping () -> Bool
  ) {
    self.meta = meta
    self.extent = extent
    self.knownNames = knownNames
    self.budget = budget
    self.pages = pages
    self.goesOn = goesOn
    reached = PageSet(lastPage: meta.lastPage, isDense: extent == .everything)
  }

  /// Checks all trees, the small ones first, as far as the budget goes.
  ///
  /// - Throws: The problem; a miscount only if there is nothing worse.
  mutating func run() throws(PageDamage) {
    try walk(Tree(name: "the list of tables", record: meta.main, content: .tables))
    try checkStamp()
    var trees = tables
    trees.append(Tree(name: "the free list", record: meta.freeList, content: .freeList))
    // Every page of the free list is on the paths, but only some pages of the tables.
    if extent == .everything { trees.sort { $0.record.pageCount < $1.record.pageCount } }
    for tree in trees { try walk(tree) }
    for list in freed { try list.check(isApartFrom: reached.few) }
    if let miscount { throw miscount }
    try checkLeaks()
  }

  /// Checks that each page is in a tree or free. LMDB leaks no pages, even if a process is killed,
  /// so a leak means that a tree is missing: for example, that of a table whose record was replaced
  /// by an empty one.
  private func checkLeaks() throws(PageDamage) {
    guard extent == .everything, areAllWhole, let page = reached.firstMissing else { return }
    throw PageDamage(
      page: page, what: "it is neither in use nor free", isMiscount: true, isLeak: true)
  }

  /// Refuses a list of tables that was written by a transaction other than the newest one.
  private func checkStamp() throws(PageDamage) {
    guard meta.main.root != MetaPage.noRoot, isWhole else { return }
    guard let stamp, TransactionStamp.belongs(stamp, to: meta.transactionID) else {
      let writer = stamp.map { "transaction \($0)" } ?? "no transaction"
      throw PageDamage(
        page: meta.main.root,
        what:
          "\(writer) wrote the list of tables, and the newest is transaction \(meta.transactionID)")
    }
  }

  private mutating func walk(_ tree: Tree) throws(PageDamage) {
    guard tree.record.root != MetaPage.noRoot else { return }
    found = .none
    isWhole = true
    try visit(tree.record.root, level: 0, of: tree, between: KeyBounds(), .both)
    areAllWhole = areAllWhole && isWhole
    guard isWhole, miscount == nil, let what = tree.record.difference(from: found) else { return }
    miscount = PageDamage(
      page: tree.record.root, what: "\(tree.name) has \(what)", isMiscount: true)
  }

  // MARK: Pages

  /// The end of a tree that a path leads to.
  private enum End {
    case first, last, both
  }

  private mutating func visit(
    _ number: UInt64, level: Int, of tree: Tree, between bounds: KeyBounds, _ end: End
  ) throws(PageDamage) {
    guard budget > 0 else {
      isWhole = false
      return
    }
    if visitCount % Self.pulse == 0, !goesOn() {
      budget = 0
      isWhole = false
      return
    }
    visitCount += 1
    budget -= 1
    try reach(number, in: tree)
    guard let page = pages.page(number, level: level) else {
      throw PageDamage(page: number, what: "it cannot be read")
    }
    let isLeaf = level + 1 >= Int(tree.record.depth)
    // LMDB demands two children, except of the free list while it is rebalanced (its ITS#8336).
    let minimum = isLeaf || tree.content == .freeList ? 1 : 2
    if let what = page.damage(number: number, isLeaf: isLeaf, minimum: minimum) {
      throw PageDamage(page: number, what: what)
    }
    if let what = page.disorder(isLeaf: isLeaf, tree, between: bounds) {
      throw PageDamage(page: number, what: what)
    }
    if isLeaf {
      found.leafPages += 1
      found.entries += UInt64(page.nodeCount)
      try checkValues(of: page, number, tree)
    } else {
      found.branchPages += 1
      try visitChildren(of: page, level: level, of: tree, between: bounds, end)
    }
  }

  private mutating func visitChildren(
    of page: TreePage, level: Int, of tree: Tree, between bounds: KeyBounds, _ end: End
  ) throws(PageDamage) {
    let last = page.nodeCount - 1
    for index in 0...last {
      var childEnd = End.both
      if extent == .paths, tree.content == .integers || tree.content == .bytes {
        let isOnWay = index == 0 && end != .last || index == last && end != .first
        guard isOnWay else {
          isWhole = false
          continue
        }
        childEnd = index == 0 && end != .last ? .first : .last
      }
      let offset = page.offset(ofNode: index)
      let child = unsafe KeyBounds(
        lower: index == 0 ? bounds.lower : page.key(at: offset),
        upper: index == last ? bounds.upper : page.key(at: page.offset(ofNode: index + 1)))
      try visit(
        page.child(at: offset), level: level + 1, of: tree, between: child, childEnd)
    }
  }

  private mutating func reach(_ page: UInt64, in tree: Tree) throws(PageDamage) {
    guard page >= 2, page <= meta.lastPage else {
      throw PageDamage(
        page: page, what: "\(tree.name) refers to it, but the last page is \(meta.lastPage)")
    }
    guard reached.insert(page) else {
      throw PageDamage(
        page: page, what: "\(tree.name) refers to it, but it is also free or used elsewhere")
    }
  }

  // MARK: Values

  private mutating func checkValues(
    of page: TreePage, _ number: UInt64, _ tree: Tree
  ) throws(PageDamage) {
    let last = page.nodeCount - 1
    for index in 0...last {
      let node = page.offset(ofNode: index)
      let (flags, count) = (page.nodeFlags(at: node), page.valueByteCount(at: node))
      let place = page.valueOffset(at: node)
      if tree.content == .tables {
        if flags == 0, count == TransactionStamp.valueByteCount,
          unsafe page.key(at: node).elementsEqual(TransactionStamp.key)
        {
          stamp = page.word(place)
          continue
        }
        guard flags == TreePage.subtree, count == MetaPage.Tree.byteCount else {
          throw PageDamage(page: number, what: "entry \(index) of \(tree.name) is not a table")
        }
        try unsafe addTable(page.key(at: node), MetaPage.Tree(page, at: place), number)
        continue
      }
      guard flags == 0 || flags == TreePage.bigData else {
        throw PageDamage(page: number, what: "entry \(index) of \(tree.name) has flags \(flags)")
      }
      if flags == TreePage.bigData {
        let isOnWay =
          extent == .everything || tree.content == .freeList || index == 0 || index == last
        guard isOnWay, try reachOverflow(page.word(place), byteCount: count, number, tree) else {
          isWhole = false
          continue
        }
      }
      if tree.content == .freeList {
        try checkFreePages(of: page, at: node, number)
      }
    }
  }

  /// Reaches the pages of a large value.
  ///
  /// - Returns: Whether the budget was enough for them.
  private mutating func reachOverflow(
    _ first: UInt64, byteCount: Int, _ leaf: UInt64, _ tree: Tree
  ) throws(PageDamage) -> Bool {
    let needed = UInt64((TreePage.headerByteCount - 1 + byteCount) / pages.pageSize + 1)
    guard first >= 2, first <= meta.lastPage, needed - 1 <= meta.lastPage - first else {
      throw PageDamage(
        page: leaf, what: "a value of \(tree.name) takes \(needed) pages from page \(first) on")
    }
    let offset = first * UInt64(pages.pageSize)
    guard let header = pages.bytes(TreePage.headerByteCount, at: offset) else {
      throw PageDamage(page: first, what: "it cannot be read")
    }
    let (number, flags, count) = unsafe header.withUnsafeBytes {
      let page = unsafe TreePage($0)
      return (page.number, page.flags, UInt64(page.word(12, UInt32.self)))
    }
    guard number == first, flags == TreePage.overflowFlag, count >= needed,
      count - 1 <= meta.lastPage - first
    else {
      throw PageDamage(
        page: first,
        what:
          "its page number is \(number), its flags are \(flags), and it has \(count) pages instead of \(needed)"
      )
    }
    // The pages of the free list are all read; of other values only the first is, and some bits are
    // set.
    let cost = tree.content == .freeList || !reached.isDense ? Int(count) : 1
    guard budget >= cost else { return false }
    budget -= cost
    found.overflowPages += count
    for page in first..<first + count { try reach(page, in: tree) }
    return true
  }

  private mutating func addTable(
    _ key: UnsafeRawBufferPointer, _ record: MetaPage.Tree, _ page: UInt64
  ) throws(PageDamage) {
    let ownName = unsafe String(decoding: key, as: UTF8.self)
    let name = "the table \(ownName)"
    if record.flags & ~MetaPage.Tree.integerKeys != 0 || record.pad != 0 {
      throw PageDamage(page: page, what: "the flags of \(name) are \(record.flags), \(record.pad)")
    }
    if let what = record.implausibility(lastPage: meta.lastPage) {
      throw PageDamage(page: page, what: "\(name): \(what)")
    }
    if extent == .everything, miscount == nil, !knownNames.contains(ownName) {
      miscount = PageDamage(
        page: page, what: "it refers to \(name), which this program does not use", isMiscount: true)
    }
    tables.append(
      Tree(
        name: name, record: record,
        content: record.flags & MetaPage.Tree.integerKeys != 0 ? .integers : .bytes))
  }

  // MARK: The free list

  private mutating func checkFreePages(
    of page: TreePage, at node: Int, _ number: UInt64
  ) throws(PageDamage) {
    let (count, place) = (page.valueByteCount(at: node), page.valueOffset(at: node))
    let bytes: [UInt8]?
    if page.nodeFlags(at: node) == TreePage.bigData {
      let first: UInt64 = page.word(place)
      bytes = pages.bytes(
        count, at: first * UInt64(pages.pageSize) + UInt64(TreePage.headerByteCount))
    } else {
      bytes = unsafe Array(page.bytes[place..<place + count])
    }
    guard let list = bytes.flatMap({ FreedPages($0) }) else {
      throw PageDamage(page: number, what: "a record of freed pages has \(count) bytes")
    }
    try list.checkOrder(recordedOn: number, lastPage: meta.lastPage)
    guard reached.isDense else {
      freed.append(list)
      return
    }
    for page in list.pages where !reached.insert(page) {
      throw PageDamage(page: page, what: "it is free, but it is also used or free elsewhere")
    }
  }
}

extension MetaPage.Tree {
  /// The size of its record in bytes.
  static let byteCount = 48
  /// `MDB_INTEGERKEY`.
  static let integerKeys: UInt16 = 0x08

  fileprivate static let none = MetaPage.Tree(
    pad: 0, flags: 0, depth: 0, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0,
    root: MetaPage.noRoot)

  init(_ page: TreePage, at offset: Int) {
    self.init(
      pad: page.word(offset), flags: page.word(offset + 4), depth: page.word(offset + 6),
      branchPages: page.word(offset + 8), leafPages: page.word(offset + 16),
      overflowPages: page.word(offset + 24), entries: page.word(offset + 32),
      root: page.word(offset + 40))
  }

  /// The difference between the record's counts and those of a walk, in a few words; nil if they
  /// are the same.
  fileprivate func difference(from found: MetaPage.Tree) -> String? {
    if entries != found.entries { return "\(found.entries) entries instead of \(entries)" }
    if branchPages != found.branchPages {
      return "\(found.branchPages) branch pages instead of \(branchPages)"
    }
    if leafPages != found.leafPages {
      return "\(found.leafPages) leaf pages instead of \(leafPages)"
    }
    if overflowPages != found.overflowPages {
      return "\(found.overflowPages) pages of large values instead of \(overflowPages)"
    }
    return nil
  }
}
