internal import LedgerLibC
internal import LedgerSystem

/// Reads pages of a data file, and keeps one for each level of a tree.
@safe
struct PageReader: ~Copyable {
  private let descriptor: Int32
  let pageSize: Int
  /// By level; a page stays until the next one of its level is read.
  private var buffers: [UnsafeMutableRawBufferPointer]

  /// - Parameter descriptor: Must stay open as long as this object.
  init(descriptor: Int32, pageSize: Int) {
    self.descriptor = descriptor
    self.pageSize = pageSize
    unsafe buffers = []
  }

  deinit {
    for index in unsafe buffers.indices { unsafe buffers[index].deallocate() }
  }

  /// A page; nil if it cannot be read whole.
  mutating func page(_ number: UInt64, level: Int) -> TreePage? {
    while unsafe buffers.count <= level {
      unsafe buffers.append(.allocate(byteCount: pageSize, alignment: 8))
    }
    let buffer = unsafe buffers[level]
    guard unsafe fill(buffer, at: number * UInt64(pageSize)) else { return nil }
    return unsafe TreePage(UnsafeRawBufferPointer(buffer))
  }

  /// Asks the system to read the file ahead, if it has at most this many pages.
  func readAhead(upTo pageCount: Int) {
    #if os(Linux)
      guard let size = byteCount, size / UInt64(pageSize) <= UInt64(pageCount) else { return }
      _ = posix_fadvise(descriptor, 0, off_t(clamping: size), POSIX_FADV_WILLNEED)
    #endif
  }

  /// The length of the file; nil if the system does not report it.
  var byteCount: UInt64? {
    (try? FileFacts(of: descriptor, path: "data.mdb")).map { UInt64(max(0, $0.byteCount)) }
  }

  /// Bytes from anywhere in the file; nil if they cannot be read whole.
  func bytes(_ count: Int, at offset: UInt64) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let isFilled = unsafe bytes.withUnsafeMutableBytes { unsafe fill($0, at: offset) }
    return isFilled ? bytes : nil
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
    let count = try? unsafe Descriptor.fill(
      buffer, from: descriptor, at: offset, path: "data.mdb")
    return count == buffer.count
  }
}

/// A set of pages, whether few or many.
struct PageSet {
  /// A bit for each page of the file; empty if few pages are expected.
  private var words: [UInt64]
  private(set) var few: Set<UInt64> = []
  private let lastPage: UInt64

  init(lastPage: UInt64, isDense: Bool) {
    self.lastPage = lastPage
    words = isDense ? Array(repeating: 0, count: Int(clamping: lastPage / 64 + 1)) : []
  }

  var isDense: Bool { !words.isEmpty }

  /// The first page after the two meta pages that is not in the set; nil if there is none, or if
  /// few are expected.
  var firstMissing: UInt64? {
    guard isDense else { return nil }
    for (index, word) in words.enumerated() {
      let missing = index == 0 ? ~(word | 0b11) : ~word
      let page = UInt64(index * UInt64.bitWidth + missing.trailingZeroBitCount)
      if missing != 0 { return page <= lastPage ? page : nil }
    }
    return nil
  }

  /// - Returns: Whether it is new.
  mutating func insert(_ page: UInt64) -> Bool {
    guard isDense else { return few.insert(page).inserted }
    let bit = 1 << (page % 64) as UInt64
    guard words[Int(page / 64)] & bit == 0 else { return false }
    words[Int(page / 64)] |= bit
    return true
  }
}
