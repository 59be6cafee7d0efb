/// One of the two meta pages of a data file, decoded without LMDB.
///
/// `MDB_page` (16 bytes: page number, pad, flags, bounds) followed by `MDB_meta`, as LMDB 0.9 lays
/// them out on 64-bit little-endian machines. LMDB trusts every word of it: a wrong root is a wild
/// read, a wrong last page a SIGBUS. So all of it is checked before LMDB sees the file.
struct MetaPage: Equatable {
  /// Page header and meta together.
  static let byteCount = 16 + 136
  static let magic: UInt32 = 0xBEEF_C0DE
  /// `MDB_DATA_VERSION` of LMDB 0.9.
  static let version: UInt32 = 1
  /// The highest version that development versions of LMDB write. A higher number is damage.
  static let highestVersion: UInt32 = 999
  static let metaFlag: UInt16 = 0x08
  static let noRoot = UInt64.max

  /// `MDB_db`: the root of a tree and its counts.
  struct Tree: Equatable {
    var pad: UInt32
    var flags: UInt16
    var depth: UInt16
    var branchPages: UInt64
    var leafPages: UInt64
    var overflowPages: UInt64
    var entries: UInt64
    var root: UInt64

    /// The pages of the tree. Each addend was compared with the file's size before.
    var pageCount: UInt64 { branchPages + leafPages + overflowPages }
  }

  var pageNumber: UInt64
  var pageFlags: UInt16
  var magic: UInt32
  var version: UInt32
  var mapSize: UInt64
  var freeList: Tree
  var main: Tree
  var lastPage: UInt64
  var transactionID: UInt64

  /// LMDB keeps the page size in the padding of the free list's record.
  var pageSize: UInt32 { freeList.pad }

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount else { return nil }
    func word<T: FixedWidthInteger>(_ offset: Int, _: T.Type = T.self) -> T {
      var value: T = 0
      for index in 0..<MemoryLayout<T>.size {
        value |= T(truncatingIfNeeded: bytes[offset + index]) << (8 * index)
      }
      return value
    }
    func tree(_ offset: Int) -> Tree {
      Tree(
        pad: word(offset), flags: word(offset + 4), depth: word(offset + 6),
        branchPages: word(offset + 8), leafPages: word(offset + 16),
        overflowPages: word(offset + 24), entries: word(offset + 32), root: word(offset + 40))
    }
    pageNumber = word(0)
    pageFlags = word(10)
    magic = word(16)
    version = word(20)
    mapSize = word(32)
    freeList = tree(40)
    main = tree(88)
    lastPage = word(136)
    transactionID = word(144)
  }
}

// MARK: - Plausibility

extension MetaPage {
  /// The first field that LMDB could not have written, in a few words; nil when everything is
  /// consistent.
  func implausibility(index: Int) -> String? {
    if pageNumber != UInt64(index) { return "its page number is \(pageNumber)" }
    if pageFlags != Self.metaFlag { return "its page flags are \(pageFlags)" }
    // The page after the metas is the first that a transaction can use.
    if lastPage < 1 || lastPage > UInt64(Int64.max) / UInt64(max(pageSize, 1)) - 1 {
      return "its last page is \(lastPage)"
    }
    // Transaction n writes meta page n % 2; a new file, and page 0 of a compacted copy, have 0.
    if transactionID != 0, transactionID % 2 != UInt64(index) {
      return "transaction \(transactionID) belongs on the other meta page"
    }
    // `mm_flags`: MDB_INTEGERKEY for the free list, and no persistent flag of the environment.
    if freeList.flags != 0x08 { return "the flags of the free list are \(freeList.flags)" }
    if main.flags != 0 { return "the flags of the main tree are \(main.flags)" }
    if main.pad != 0 { return "the pad of the main tree is \(main.pad)" }
    return nil
  }

  /// The same for the two trees, which lie in the pages up to `lastPage`.
  ///
  /// That need not be the last page that the older meta page gives: after a failed write LMDB puts
  /// the old number and last page back and leaves the new roots (`mdb_env_write_meta`). Such a meta
  /// page is never read, and the next commit overwrites it.
  func implausibilityOfTrees(lastPage: UInt64) -> String? {
    if let what = freeList.implausibility(lastPage: lastPage) { return "free list: \(what)" }
    if let what = main.implausibility(lastPage: lastPage) { return "main tree: \(what)" }
    if freeList.root != Self.noRoot, freeList.root == main.root {
      return "two trees have the same root"
    }
    return nil
  }
}

extension MetaPage.Tree {
  func implausibility(lastPage: UInt64) -> String? {
    guard root != MetaPage.noRoot else {
      let isEmpty =
        depth == 0 && entries == 0 && branchPages == 0 && leafPages == 0 && overflowPages == 0
      return isEmpty ? nil : "no root page, but nonzero counts"
    }
    if root < 2 || root > lastPage { return "root page \(root), but the last page is \(lastPage)" }
    // CURSOR_STACK in LMDB is 32.
    if depth < 1 || depth > 32 { return "depth \(depth)" }
    for count in [branchPages, leafPages, overflowPages] where count > lastPage {
      return "\(count) pages, but the last page is \(lastPage)"
    }
    if branchPages + leafPages + overflowPages > lastPage - 1 { return "more pages than the file" }
    if depth == 1, branchPages != 0 || leafPages != 1 { return "depth 1 with several pages" }
    if depth > 1, leafPages < 2 || branchPages < UInt64(depth) - 1 { return "too few pages" }
    // Every leaf holds an entry, and an entry takes at least 8 bytes of a page.
    if entries < leafPages || entries / 8192 > leafPages { return "\(entries) entries" }
    return nil
  }
}
