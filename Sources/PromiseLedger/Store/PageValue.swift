/// The size of what fits into one page of LMDB.
enum PageValue {
  /// The largest value that shares a page with its key and LMDB's header, in bytes: a larger one takes
  /// pages of its own.
  static let byteCount = 4_080
}
