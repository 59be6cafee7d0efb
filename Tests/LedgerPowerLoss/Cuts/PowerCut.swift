import LedgerTestSupport

/// The contents of the disk when the power comes back: one of many possibilities.
struct PowerCut {
  /// Which of the changes that were not synced are there.
  enum Survivors: Sendable, CaseIterable {
    case none, all, allButOne, onlyOne, few, half, most
    /// All up to one, as from a disk that writes in order.
    case first
    /// All from one on, as from a disk that writes the newest first.
    case last
  }

  /// The bytes that a disk writes at once, or not at all.
  private let sectorByteCount: Int
  /// Whether changes of directories come in their order, as with a journal.
  private let isJournaled: Bool
  private var survivors: Survivors
  private var generator: SeededGenerator
  private var special = -1
  private var unitCount = 0

  /// Draws one by lot.
  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let sectorByteCount = Bool.random(using: &generator) ? 512 : FileImage.pageByteCount
    let isJournaled = Bool.random(using: &generator)
    // The extremes of few changes are soon known.
    let weighted: [Survivors] = [.none, .all, .few, .few, .half, .half, .most, .most]
    let rare: [Survivors] = [.allButOne, .allButOne, .onlyOne, .first, .first, .last]
    self.init(
      (weighted + rare).randomElement(using: &generator) ?? .half,
      sectorByteCount: sectorByteCount, isJournaled: isJournaled, generator: generator)
  }

  /// One of a kind.
  init(
    _ survivors: Survivors, sectorByteCount: Int = FileImage.pageByteCount,
    isJournaled: Bool = true, generator: SeededGenerator = SeededGenerator(seed: 0)
  ) {
    self.survivors = survivors
    self.sectorByteCount = sectorByteCount
    self.isJournaled = isJournaled
    self.generator = generator
  }

  /// The contents if nothing is lost, which is also the view without a power cut.
  static func withoutLoss(of disk: Disk) -> DiskTree {
    var cut = PowerCut(.all)
    return cut.tree(of: disk)
  }

  /// The contents found on the disk.
  mutating func tree(of disk: Disk) -> DiskTree {
    if [.allButOne, .onlyOne, .first, .last].contains(survivors) {
      var counting = self
      counting.survivors = .all
      _ = counting.walk(disk)
      special = Int.random(in: 0..<max(counting.unitCount, 1), using: &generator)
    }
    return walk(disk)
  }

  private mutating func walk(_ disk: Disk) -> DiskTree {
    let entries = survivingEntries(disk)
    var tree = DiskTree()
    visit(Disk.root, "", entries, disk, &tree)
    return tree
  }

  private mutating func visit(
    _ directory: FileNumber, _ path: String, _ entries: [[String: FileNumber]], _ disk: Disk,
    _ tree: inout DiskTree
  ) {
    for (name, number) in entries[directory].sorted(by: { $0.key < $1.key }) {
      let inner = path.isEmpty ? name : path + "/" + name
      if disk.files[number].isDirectory {
        tree.directories.append(inner)
        visit(number, inner, entries, disk, &tree)
      } else {
        tree.files.append(
          DiskTree.Item(path: inner, file: number, image: image(of: disk.files[number])))
      }
    }
  }

  // MARK: The surviving contents

  private mutating func isThere() -> Bool {
    defer { unitCount += 1 }
    switch survivors {
    case .none: return false
    case .all: return true
    case .allButOne: return unitCount != special
    case .onlyOne: return unitCount == special
    case .first: return unitCount <= special
    case .last: return unitCount >= special
    case .few: return Int.random(in: 0..<8, using: &generator) == 0
    case .half: return Bool.random(using: &generator)
    case .most: return Int.random(in: 0..<8, using: &generator) != 0
    }
  }

  /// The entries of each directory.
  private mutating func survivingEntries(_ disk: Disk) -> [[String: FileNumber]] {
    var entries = disk.files.map(\.entries)
    let changes = disk.files.enumerated().flatMap { number, file in
      file.entryChanges.map { (directory: number, pending: $0) }
    }.sorted { $0.pending.index < $1.pending.index }
    var lost: Set<[String]> = []
    for (directory, pending) in changes {
      let names = pending.change.names.map { ["\(directory)", $0] }
      let survives = isThere()
      // A change that builds on a lost change is lost with it; in a journal, that is everything
      // after it.
      guard survives, lost.isDisjoint(with: names), !isJournaled || lost.isEmpty else {
        lost.formUnion(names)
        continue
      }
      entries[directory].apply(pending.change)
    }
    return entries
  }

  private mutating func image(of file: Disk.File) -> FileImage {
    var image = file.image
    var isSizeKnown = true
    for pending in file.changes {
      if pending.isCertain {
        image.apply(pending.change)
        continue
      }
      switch pending.change {
      case .resize(let byteCount):
        isSizeKnown = isThere() && isSizeKnown
        if isSizeKnown { image.resize(to: byteCount) }
      case .write(let offset, let bytes):
        if offset + bytes.count > image.byteCount {
          isSizeKnown = isThere() && isSizeKnown
          if isSizeKnown { image.resize(to: offset + bytes.count) }
        }
        overwrite(&image, offset, bytes)
      }
    }
    if file.isShared { shake(&image) }
    return image
  }

  private mutating func overwrite(_ image: inout FileImage, _ offset: Int, _ bytes: [UInt8]) {
    var start = 0
    while start < bytes.count {
      let place = offset + start
      let end = min(bytes.count, (place / sectorByteCount + 1) * sectorByteCount - offset)
      if isThere() { image.overwrite(bytes[start..<end], at: place) }
      start = end
    }
  }

  /// Shared memory is never synced, so any part of it may have reached the disk.
  private mutating func shake(_ image: inout FileImage) {
    guard survivors != .all else { return }
    for page in 0..<image.pages.count {
      let kind = Int.random(in: 0..<3, using: &generator)
      guard kind > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: FileImage.pageByteCount)
      if kind == 2 {
        // Words of a few values, as counters and flags have.
        for place in stride(from: 0, to: 256, by: 4) {
          bytes[place] = UInt8.random(in: 0...3, using: &generator)
        }
      }
      image.overwrite(bytes[...], at: page * FileImage.pageByteCount)
    }
  }
}
