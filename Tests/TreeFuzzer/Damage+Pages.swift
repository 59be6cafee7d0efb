import LedgerTreeSupport

/// Pages that were moved or changed.
extension Damage {
  mutating func swapPages() {
    guard let first = choosePage(of: Self.treePages) else { return }
    // With a page of the same tree as often as with any.
    let tree = chance(1, of: 2) ? place?.tree : nil
    guard let second = choosePage(of: Self.treePages, in: tree), first != second else { return }
    (file[first], file[second]) = (file[second], file[first])
    let isMended = chance(1, of: 2)
    if isMended {
      file[first].number = UInt64(first)
      file[second].number = UInt64(second)
    }
    note("pages \(first) and \(second)\(isMended ? " with their numbers mended" : "")")
  }

  mutating func renumber() {
    guard let page = choosePage(of: Self.treePages) else { return }
    let number =
      switch random(0..<4) {
      case 0: UInt64(random(0..<file.pageCount))
      case 1: UInt64(page) ^ (1 << UInt64(random(0..<64)))
      case 2: UInt64(page) &+ 1
      default: UInt64.random(in: 0...(.max), using: &generator)
      }
    file[page].number = number
    note("page \(page) says that it is \(number)")
  }

  mutating func copyPage() {
    guard let target = choosePage(of: Self.treePages) else { return }
    let tree = chance(1, of: 2) ? place?.tree : nil
    let kinds: Set<PageKind> = chance(1, of: 4) ? [.unused] : Self.treePages
    guard let source = choosePage(of: kinds, in: kinds.count == 1 ? nil : tree) else { return }
    file[target] = file[source]
    let isMended = chance(2, of: 3)
    if isMended { file[target].number = UInt64(target) }
    note("page \(source) over \(target)\(isMended ? " with its number mended" : "")")
  }

  mutating func putStalePagesBack() {
    // One of the newest versions as often as any: a disk that lost its last writes.
    for _ in 0..<random(1..<4) {
      guard let page = choosePage(of: Self.treePages), let versions = sample.staleVersions[page]
      else { continue }
      let age = chance(1, of: 2) ? 1 : random(1..<(versions.count + 1))
      file[page] = versions[versions.count - age]
      note("page \(page) as it was \(age) of \(versions.count) versions ago")
    }
  }

  mutating func putStaleMetaBack() {
    guard let page = choosePage(of: [.meta]), let versions = sample.staleVersions[page] else {
      return
    }
    let age = chance(1, of: 2) ? 1 : random(1..<(versions.count + 1))
    file[page] = versions[versions.count - age]
    note("meta page \(page) as it was \(age) of \(versions.count) versions ago")
  }

  /// Leaves some of a page's sectors as they were before.
  mutating func tear() {
    guard let page = choosePage(of: Self.treePages),
      let stale = sample.staleVersions[page]?.randomElement(using: &generator)
    else { return }
    let sectorByteCount = 512
    for sector in 0..<(TreePage.byteCount / sectorByteCount) where chance(1, of: 2) {
      let range = (sector * sectorByteCount)..<((sector + 1) * sectorByteCount)
      let begin = page * TreePage.byteCount
      file.bytes.replaceSubrange(
        (begin + range.lowerBound)..<(begin + range.upperBound), with: stale.bytes[range])
      note("sector \(sector) of page \(page)")
    }
  }

  mutating func overwrite() {
    guard let page = choosePage(of: Self.treePages) else { return }
    let count = [8, 64, 512, TreePage.byteCount].randomElement(using: &generator) ?? 8
    let offset = random(0..<(TreePage.byteCount / count)) * count
    let isZero = chance(1, of: 2)
    for index in 0..<count {
      file.bytes[page * TreePage.byteCount + offset + index] =
        isZero ? 0 : UInt8.random(in: 0 ... .max, using: &generator)
    }
    note("\(count) \(isZero ? "zero" : "random") bytes at \(offset) of page \(page)")
  }

  mutating func truncate() {
    let count =
      chance(1, of: 2)
      ? random(0..<file.pageCount) * TreePage.byteCount : random(0..<file.bytes.count)
    file.bytes.removeLast(file.bytes.count - count)
    note("to \(count) bytes")
  }
}
