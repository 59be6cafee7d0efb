#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What is wrong with a page.
struct PageDamage: Error, Hashable {
  let page: UInt64
  let what: String
  /// Whether the pages can be walked all the same: entries are missing, or there are too many.
  var isMiscount = false
}

/// Walks the trees of a data file with bounds, before LMDB does.
///
/// LMDB believes every header, offset and page number that it meets: a flipped bit there makes it read
/// outside of the page, stop the process with an assertion, or return what was never stored. Here each
/// page must be the one that its parent names, of the sort that the depth demands, with its nodes inside,
/// its keys in ascending order and between the separators of its parent; and no page is reached twice or
/// free, so a walk ends after as many pages as the file has.
///
/// Pages are read with `pread` and not through a map: in a file that is cut meanwhile a page that is
/// missing is then a finding, and no signal. A read transaction of the caller keeps the pages from being
/// used again.
@safe
struct TreeCheck: ~Copyable {
  /// What is looked at.
  enum Extent: Sendable, Hashable {
    /// The main tree, the free list, and of each table the ways to its first and its last leaf.
    case paths
    /// Every page.
    case everything
  }

  /// A tree, and how its keys and values look.
  struct Tree {
    enum Content: Hashable { case tables, freeList, integers, bytes }

    let name: String
    let record: MetaPage.Tree
    let content: Content

    var hasIntegerKeys: Bool { content == .freeList || content == .integers }
  }

  let meta: MetaPage
  let extent: Extent
  /// How many pages may still be read.
  private var budget: Int
  private var pages: PageReader
  private var reached: PageSet
  private var tables: [Tree] = []
  /// What the tree that is walked was found to have so far.
  private var found = MetaPage.Tree.none
  /// Whether all of it was walked.
  private var isWhole = true
  private var miscount: PageDamage?
  /// Called now and then.
  private let tick: () -> Void

  init(
    _ pages: consuming PageReader, meta: MetaPage, extent: Extent, budget: Int,
    tick: @escaping () -> Void = {}
  ) {
    self.meta = meta
    self.extent = extent
    self.budget = budget
    self.pages = pages
    self.tick = tick
    reached = PageSet(lastPage: meta.lastPage, isDense: extent == .everything)
  }

  /// Checks all trees, the small ones first, as far as the budget goes.
  ///
  /// - Throws: What is wrong; a miscount only if nothing worse was found.
  mutating func run() throws(PageDamage) {
    try walk(Tree(name: "the list of tables", record: meta.main, content: .tables))
    var trees = tables
    let freeList = Tree(name: "the free list", record: meta.freeList, content: .freeList)
    if extent == .everything {
      trees.append(freeList)
      trees.sort { $0.record.pageCount < $1.record.pageCount }
    } else {
      // It is held against the pages that were reached before.
      trees.append(freeList)
    }
    for tree in trees { try walk(tree) }
    if let miscount { throw miscount }
  }

  private mutating func walk(_ tree: Tree) throws(PageDamage) {
    guard tree.record.root != MetaPage.noRoot else { return }
    found = .none
    isWhole = true
    try visit(tree.record.root, level: 0, of: tree, between: Bounds(), .both)
    guard isWhole, miscount == nil, let what = tree.record.difference(from: found) else { return }
    miscount = PageDamage(
      page: tree.record.root, what: "\(tree.name) has \(what)", isMiscount: true)
  }

  // MARK: Pages

  /// Keys of the parent between which those of a page lie.
  @safe
  private struct Bounds {
    var lower: UnsafeRawBufferPointer?
    var upper: UnsafeRawBufferPointer?
  }

  /// The end of a tree that a way leads to.
  private enum End {
    case first, last, both
  }

  private mutating func visit(
    _ number: UInt64, level: Int, of tree: Tree, between bounds: Bounds, _ end: End
  ) throws(PageDamage) {
    guard budget > 0 else {
      isWhole = false
      return
    }
    budget -= 1
    if budget % 4_096 == 0 { tick() }
    try reach(number, in: tree)
    guard let page = pages.page(number, level: level) else {
      throw PageDamage(page: number, what: "it cannot be read")
    }
    let isLeaf = level + 1 >= Int(tree.record.depth)
    // LMDB demands two children, but not of the free list while it is rebalanced (its ITS#8336).
    let minimum = isLeaf || tree.content == .freeList ? 1 : 2
    if let what = page.damage(number: number, isLeaf: isLeaf, minimum: minimum) {
      throw PageDamage(page: number, what: what)
    }
    if let what = Self.disorder(of: page, isLeaf, tree, bounds) {
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
    of page: TreePage, level: Int, of tree: Tree, between bounds: Bounds, _ end: End
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
      let child = unsafe Bounds(
        lower: index == 0 ? bounds.lower : page.key(at: offset),
        upper: index == last ? bounds.upper : page.key(at: page.offset(ofNode: index + 1)))
      try visit(
        page.child(at: offset), level: level + 1, of: tree, between: child, childEnd)
    }
  }

  private mutating func reach(_ page: UInt64, in tree: Tree) throws(PageDamage) {
    guard page >= 2, page <= meta.lastPage else {
      throw PageDamage(
        page: page, what: "\(tree.name) leads to it, and the last is \(meta.lastPage)")
    }
    guard reached.insert(page) else {
      throw PageDamage(
        page: page, what: "\(tree.name) leads to it, and it is free or used elsewhere")
    }
  }

  // MARK: Keys

  /// What is wrong with the keys of a page.
  private static func disorder(
    of page: TreePage, _ isLeaf: Bool, _ tree: Tree, _ bounds: Bounds
  ) -> String? {
    var previous = unsafe bounds.lower
    // The first key of a branch is never looked at.
    for index in (isLeaf ? 0 : 1)..<page.nodeCount {
      let key = unsafe page.key(at: page.offset(ofNode: index))
      let count = key.count
      guard tree.hasIntegerKeys ? count == 8 : (1...511).contains(count) else {
        return "a key of \(tree.name) has \(count) bytes"
      }
      if let before = unsafe previous {
        let isFirst = index == (isLeaf ? 0 : 1)
        let order = unsafe compare(before, key, tree)
        // The first key of a leaf may be the separator itself.
        guard order < 0 || isFirst && isLeaf && order == 0 else {
          return "the keys of \(tree.name) are not in order"
        }
      }
      unsafe previous = key
    }
    if let last = unsafe previous, let upper = unsafe bounds.upper,
      unsafe compare(last, upper, tree) >= 0
    {
      return "the keys of \(tree.name) are not in order"
    }
    return nil
  }

  @inline(__always)
  private static func compare(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ tree: Tree
  ) -> Int {
    if tree.hasIntegerKeys {
      let first = unsafe UInt64(littleEndian: first.loadUnaligned(as: UInt64.self))
      let second = unsafe UInt64(littleEndian: second.loadUnaligned(as: UInt64.self))
      return first < second ? -1 : first == second ? 0 : 1
    }
    return unsafe first.compared(to: second)
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
        guard flags == TreePage.subtree, count == MetaPage.Tree.byteCount else {
          throw PageDamage(page: number, what: "entry \(index) of \(tree.name) is no table")
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
        if isOnWay {
          try reachOverflow(page.word(place), byteCount: count, number, tree)
        } else {
          isWhole = false
        }
      }
      if tree.content == .freeList {
        try checkFreePages(of: page, at: node, number)
      }
    }
  }

  /// Reaches the pages of a large value.
  private mutating func reachOverflow(
    _ first: UInt64, byteCount: Int, _ leaf: UInt64, _ tree: Tree
  ) throws(PageDamage) {
    let needed = UInt64((TreePage.headerByteCount - 1 + byteCount) / pages.pageSize + 1)
    guard first >= 2, first <= meta.lastPage, needed - 1 <= meta.lastPage - first else {
      throw PageDamage(
        page: leaf, what: "a value of \(tree.name) has \(needed) pages from \(first) on")
    }
    budget -= 1
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
          "it says that it is page \(number) with flags \(flags) and \(count) of \(needed) pages")
    }
    found.overflowPages += count
    for page in first..<first + count { try reach(page, in: tree) }
  }

  private mutating func addTable(
    _ key: UnsafeRawBufferPointer, _ record: MetaPage.Tree, _ page: UInt64
  ) throws(PageDamage) {
    let name = unsafe "the table \(String(decoding: key, as: UTF8.self))"
    if record.flags & ~MetaPage.Tree.integerKeys != 0 || record.pad != 0 {
      throw PageDamage(page: page, what: "the flags of \(name) are \(record.flags), \(record.pad)")
    }
    if let what = record.implausibility(lastPage: meta.lastPage) {
      throw PageDamage(page: page, what: "\(name): \(what)")
    }
    tables.append(
      Tree(
        name: name, record: record,
        content: record.flags & MetaPage.Tree.integerKeys != 0 ? .integers : .bytes))
  }

  // MARK: The free list

  /// Checks a record of freed pages: a count, then the pages in descending order.
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
    guard let bytes, count >= 8, count % 8 == 0 else {
      throw PageDamage(page: number, what: "a record of freed pages has \(count) bytes")
    }
    let list = unsafe bytes.withUnsafeBytes { record in
      (0..<count / 8).map {
        unsafe UInt64(littleEndian: record.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
      }
    }
    guard list[0] <= UInt64(list.count - 1) else {
      throw PageDamage(page: number, what: "a record of \(list[0]) freed pages has \(count) bytes")
    }
    let free = list[1..<1 + Int(list[0])]
    var previous = meta.lastPage + 1
    for page in free {
      guard page < previous, page >= 2 else {
        throw PageDamage(page: number, what: "freed pages are not in order: \(page)")
      }
      previous = page
      guard !reached.isDense || reached.insert(page) else {
        throw PageDamage(page: page, what: "it is free, and used or free elsewhere")
      }
    }
    guard !reached.isDense else { return }
    for page in reached.few where free.holds(page) {
      throw PageDamage(page: page, what: "it is in use, and it was freed")
    }
  }
}

extension ArraySlice<UInt64> {
  /// Whether a page is in a list in descending order.
  fileprivate func holds(_ page: UInt64) -> Bool {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] > page { low = middle + 1 } else { high = middle }
    }
    return low < endIndex && self[low] == page
  }
}

extension MetaPage.Tree {
  /// The bytes of its record.
  static let byteCount = 48
  /// `MDB_INTEGERKEY`.
  static let integerKeys: UInt16 = 0x08

  fileprivate static let none = MetaPage.Tree(
    pad: 0, flags: 0, depth: 0, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0,
    root: MetaPage.noRoot)

  fileprivate init(_ page: TreePage, at offset: Int) {
    self.init(
      pad: page.word(offset), flags: page.word(offset + 4), depth: page.word(offset + 6),
      branchPages: page.word(offset + 8), leafPages: page.word(offset + 16),
      overflowPages: page.word(offset + 24), entries: page.word(offset + 32),
      root: page.word(offset + 40))
  }

  /// What the record counts and a walk did not find, in a few words; nil if they are the same.
  fileprivate func difference(from found: MetaPage.Tree) -> String? {
    if entries != found.entries { return "\(found.entries) entries of \(entries)" }
    if branchPages != found.branchPages { return "\(found.branchPages) branches of \(branchPages)" }
    if leafPages != found.leafPages { return "\(found.leafPages) leaves of \(leafPages)" }
    if overflowPages != found.overflowPages {
      return "\(found.overflowPages) pages of large values of \(overflowPages)"
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// Below, at or above 0, in the order of byte keys: byte by byte, the shorter one first.
  func compared(to other: UnsafeRawBufferPointer) -> Int {
    let shared = Swift.min(count, other.count)
    if shared > 0, let first = baseAddress, let second = other.baseAddress {
      let order = unsafe memcmp(first, second, shared)
      if order != 0 { return Int(order) }
    }
    return count - other.count
  }
}
