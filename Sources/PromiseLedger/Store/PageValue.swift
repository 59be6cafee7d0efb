/// The size of values that fit into one page of LMDB.
enum PageValue {
  /// The largest value that shares a page with its key and LMDB's header, in bytes; a larger one needs
  /// additional pages.
  static let byteCount = 4_080
}
