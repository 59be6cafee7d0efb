/// The bytes of a file, in pages, so that copies share equal pages.
struct FileImage: Sendable, Equatable {
  static let pageByteCount = 4_096

  private(set) var pages: [[UInt8]] = []
  private(set) var byteCount = 0

  /// All bytes.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pages.count * Self.pageByteCount)
    for page in pages { bytes += page }
    bytes.removeLast(bytes.count - byteCount)
    return bytes
  }

  /// Makes it longer, with zeros, or shorter.
  mutating func resize(to newCount: Int) {
    let pageCount = (newCount + Self.pageByteCount - 1) / Self.pageByteCount
    if pageCount < pages.count { pages.removeLast(pages.count - pageCount) }
    while pages.count < pageCount {
      pages.append([UInt8](repeating: 0, count: Self.pageByteCount))
    }
    let rest = newCount % Self.pageByteCount
    if newCount < byteCount, rest != 0 {
      pages[pageCount - 1].replaceSubrange(
        rest..., with: repeatElement(0, count: Self.pageByteCount - rest))
    }
    byteCount = newCount
  }

  /// Replaces bytes, as far as they are inside.
  mutating func overwrite(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    var rest = bytes.prefix(max(byteCount - offset, 0))
    var place = offset
    while !rest.isEmpty {
      let start = place % Self.pageByteCount
      let piece = rest.prefix(Self.pageByteCount - start)
      pages[place / Self.pageByteCount].replaceSubrange(start..<(start + piece.count), with: piece)
      rest = rest.dropFirst(piece.count)
      place += piece.count
    }
  }

  /// Puts the page of another version back; zeros if that had none.
  mutating func putBack(page: Int, of older: FileImage) {
    guard page < pages.count else { return }
    pages[page] =
      page < older.pages.count
      ? older.pages[page] : [UInt8](repeating: 0, count: Self.pageByteCount)
  }
}
