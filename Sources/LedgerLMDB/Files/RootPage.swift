/// The page that a meta page names as the root of one of its two trees.
///
/// `MDB_page`: page number, pad, flags, the end of the node offsets (`mp_lower`) and the begin of the
/// nodes (`mp_upper`); then 16-bit node offsets. `MDB_node`: size, flags, key size.
struct RootPage {
  /// What the tree is for, which decides how its nodes look.
  enum Content {
    /// Named tables: every node of a leaf is marked as a tree of its own (`F_SUBDATA`), but for the
    /// ``TransactionStamp``.
    case tables
    /// Transaction numbers: every key has 8 bytes.
    case freeList
  }

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func word(_ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  /// Why this page cannot be the root of `tree`; nil when it can.
  func implausibility(as tree: MetaPage.Tree, _ content: Content) -> String? {
    let number = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[$1]) << (8 * UInt64($1)) }
    if number != tree.root { return "it says that it is page \(number)" }
    let flags = word(10)
    let isLeaf = tree.depth == 1
    if flags & 0x0F != (isLeaf ? 0x02 : 0x01) { return "its flags are \(flags)" }
    let lower = word(12)
    let upper = word(14)
    guard lower >= 16, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
      return "its bounds are \(lower) and \(upper)"
    }
    let nodes = (lower - 16) / 2
    if !isLeaf { return nodes < 2 ? "a branch of \(nodes)" : nil }
    if UInt64(nodes) != tree.entries { return "it has \(nodes) entries of \(tree.entries)" }
    return (0..<nodes).lazy.compactMap { implausibility(ofNode: $0, content) }.first
  }

  private func implausibility(ofNode index: Int, _ content: Content) -> String? {
    let offset = word(16 + 2 * index)
    guard offset >= 16, offset + 8 <= bytes.count else { return "a node is at \(offset)" }
    switch content {
    case .tables:
      let isStamp = word(offset) == TransactionStamp.valueByteCount && word(offset + 2) == 0
      return word(offset + 4) & 0x02 == 0 && !isStamp ? "a node is no table" : nil
    case .freeList: return word(offset + 6) != 8 ? "a node is no transaction" : nil
    }
  }
}
