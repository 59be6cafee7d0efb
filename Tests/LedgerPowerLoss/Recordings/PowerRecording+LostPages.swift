import LedgerTestSupport

extension PowerRecording {
  /// Everything that was written before an operation, except for one page of a data file, which has
  /// an older version: the disk lost a write that it had acknowledged.
  ///
  /// The first two pages, which lead to all the others, are excluded: the loss of such a write
  /// cannot be distinguished from a commit that never was.
  ///
  /// - Returns: `nil` if no relevant page was written shortly before.
  func treeWithLostPage(at index: Int, _ generator: inout SeededGenerator) -> DiskTree? {
    var tree = PowerCut.withoutLoss(of: disks[index])
    // Later writes hide the loss.
    var later: [FileNumber: Set<Int>] = [:]
    var candidates: [(write: Int, item: Int, page: Int)] = []
    let data = tree.files.indices.filter { tree.files[$0].path.hasSuffix("/data.mdb") }
    for number in operations[..<index].indices.reversed() {
      guard candidates.count < 40 else { break }
      guard case .write(let file, let offset, let bytes) = operations[number],
        let item = data.first(where: { tree.files[$0].file == file })
      else { continue }
      let last = (offset + bytes.count - 1) / FileImage.pageByteCount
      for page in offset / FileImage.pageByteCount...last
      where later[file, default: []].insert(page).inserted && page >= 2 {
        candidates.append((number, item, page))
      }
    }
    guard let lost = candidates.randomElement(using: &generator) else { return nil }
    let file = tree.files[lost.item].file
    let older = PowerCut.withoutLoss(of: disks[lost.write]).files.first { $0.file == file }
    tree.files[lost.item].image.putBack(page: lost.page, of: older?.image ?? FileImage())
    return tree
  }
}
