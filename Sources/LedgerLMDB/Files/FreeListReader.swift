/// Reads the free list of a data file without mapping it, to judge a file that looks too short.
///
/// A file may end before the last page of its meta page and be intact: when a transaction frees an
/// overflow page that it took itself, LMDB counts the page, never writes it, and lists it as free.
/// Such a page is never read before it is written. Every other missing page is a SIGBUS.
struct FreeListReader: ~Copyable {
  private let meta: MetaPage
  private let size: UInt64
  private var missing: [Bool]
  private let firstMissing: UInt64
  private var visited: UInt64 = 0

  /// A larger gap cannot be forgotten free pages (64 GiB of 4 KiB pages).
  static let mostMissing: UInt64 = 1 << 24

  /// Whether every page that the file lacks is free in the state of `meta`.
  static func listsAllPages(
    missingFrom file: borrowing DataFile, size: UInt64, meta: MetaPage
  ) throws(LMDBError) -> Bool {
    guard meta.freeList.root != MetaPage.noRoot else { return false }
    let firstMissing = size / UInt64(meta.pageSize)
    guard meta.lastPage + 1 - firstMissing <= mostMissing else { return false }
    var reader = FreeListReader(meta: meta, size: size, firstMissing: firstMissing)
    guard try reader.visit(meta.freeList.root, depth: 1, in: file) else { return false }
    return reader.missing.allSatisfy { !$0 }
  }

  private init(meta: MetaPage, size: UInt64, firstMissing: UInt64) {
    self.meta = meta
    self.size = size
    self.firstMissing = firstMissing
    missing = Array(repeating: true, count: Int(meta.lastPage + 1 - firstMissing))
  }

  /// Walks one page of the tree; false when it is not valid.
  private mutating func visit(
    _ page: UInt64, depth: Int, in file: borrowing DataFile
  ) throws(LMDBError) -> Bool {
    visited += 1
    guard depth <= Int(meta.freeList.depth), visited < firstMissing, page < firstMissing else {
      return false
    }
    let bytes = try file.read(Int(meta.pageSize), at: page * UInt64(meta.pageSize))
    guard bytes.count == Int(meta.pageSize), Self.word(bytes, 0, 8) == page else { return false }
    let isLeaf = depth == Int(meta.freeList.depth)
    let lower = Int(Self.word(bytes, 12, 2))
    guard Self.word(bytes, 10, 2) & 0x0F == (isLeaf ? 2 : 1), lower >= 16, lower <= bytes.count
    else { return false }
    for index in 0..<(lower - 16) / 2 {
      let node = Int(Self.word(bytes, 16 + 2 * index, 2))
      guard node >= 16, node + 16 <= bytes.count else { return false }
      if isLeaf {
        guard try visit(leafNode: node, bytes, in: file) else { return false }
      } else {
        // In a branch the size and the flags together are the number of the child page.
        guard try visit(Self.word(bytes, node, 6), depth: depth + 1, in: file) else { return false }
      }
    }
    return true
  }

  /// Marks the pages of one record: a count, then as many page numbers.
  private mutating func visit(
    leafNode node: Int, _ bytes: [UInt8], in file: borrowing DataFile
  ) throws(LMDBError) -> Bool {
    let count = Int(Self.word(bytes, node, 4))
    let flags = Self.word(bytes, node + 4, 2)
    let begin = node + 8 + Int(Self.word(bytes, node + 6, 2))
    guard count >= 8, UInt64(count) <= size else { return false }
    if flags & 0x01 == 0 {
      guard begin + count <= bytes.count else { return false }
      return mark(bytes, begin, count)
    }
    // F_BIGDATA: the node holds the number of the first overflow page, whose header has 16 bytes.
    guard begin + 8 <= bytes.count else { return false }
    let page = Self.word(bytes, begin, 8)
    guard page < firstMissing else { return false }
    let record = try file.read(count, at: page * UInt64(meta.pageSize) + 16)
    return record.count == count && mark(record, 0, count)
  }

  private mutating func mark(_ bytes: [UInt8], _ begin: Int, _ count: Int) -> Bool {
    let pages = Self.word(bytes, begin, 8)
    guard pages <= UInt64(count / 8 - 1) else { return false }
    for index in 0..<Int(pages) {
      let page = Self.word(bytes, begin + 8 + 8 * index, 8)
      if page >= firstMissing, page <= meta.lastPage { missing[Int(page - firstMissing)] = false }
    }
    return true
  }

  private static func word(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
  }
}
