/// One record of the free list: the pages that a transaction freed, in descending order.
struct FreedPages {
  let pages: ArraySlice<UInt64>

  /// Parses a record: a count, then as many pages; nil if it does not have that form.
  init?(_ record: [UInt8]) {
    guard record.count >= 8, record.count % 8 == 0 else { return nil }
    let words = unsafe record.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
      }
    }
    guard words[0] <= UInt64(words.count - 1) else { return nil }
    pages = words[1..<1 + Int(words[0])]
  }

  func checkOrder(recordedOn leaf: UInt64, lastPage: UInt64) throws(PageDamage) {
    var previous = lastPage + 1
    for page in pages {
      guard page < previous, page >= 2 else {
        throw PageDamage(page: leaf, what: "freed pages are out of order: \(page)")
      }
      previous = page
    }
  }

  func check(isApartFrom used: Set<UInt64>) throws(PageDamage) {
    for page in pages where used.contains(page) {
      throw PageDamage(page: page, what: "it is both in use and free")
    }
  }
}
