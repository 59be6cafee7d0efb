import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedgerTesting

/// A data file with one damage that follows from a seed.
struct Damage {
  /// The kind of change to the file.
  enum Kind: String, CaseIterable {
    // Pages as disks and file systems lose and mix them.
    case swapped, renumbered, copied, stale, staleMeta, torn, overwritten, truncated
    // Bits.
    case headerBits, offsetBits, nodeBits, keyBits, valueBits, recordBits, metaBits
    // Trees that are put together wrongly.
    case wrongRecord, wrongChild, bomb, lostNode, disorder

    /// How often it is chosen, beside the others.
    var weight: Int {
      switch self {
      case .stale: 20
      case .headerBits, .nodeBits, .keyBits, .valueBits, .copied, .wrongChild: 8
      case .swapped, .recordBits, .wrongRecord, .offsetBits, .torn: 6
      case .renumbered, .metaBits, .lostNode: 5
      case .staleMeta, .bomb, .disorder, .overwritten: 3
      case .truncated: 2
      }
    }
  }

  let seed: UInt64
  let sample: Sample
  var file: TreeFile
  private(set) var kind: Kind
  /// The change, in a few words.
  private(set) var what = ""
  /// The tree and the kind of the first page that was changed.
  private(set) var place: PageMap.Place?
  var generator: SeededGenerator

  init(seed: UInt64, of samples: [Sample]) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    // The last has the most in it.
    let index = [0, 1, 2, 2, 2].randomElement(using: &generator) ?? 0
    sample = samples[min(index, samples.count - 1)]
    file = sample.file
    kind = .torn
    // Some choices cannot be carried out, or have no effect.
    while file.bytes == sample.file.bytes {
      kind = Self.chooseKind(&generator)
      (what, place) = ("", nil)
      apply()
    }
  }

  private static func chooseKind(_ generator: inout SeededGenerator) -> Kind {
    let all = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    return all.randomElement(using: &generator) ?? .torn
  }

  var description: String { "seed \(seed), \(sample.name): \(kind.rawValue), \(what)" }

  private mutating func apply() {
    switch kind {
    case .swapped: swapPages()
    case .renumbered: renumber()
    case .copied: copyPage()
    case .stale: putStalePagesBack()
    case .staleMeta: putStaleMetaBack()
    case .torn: tear()
    case .overwritten: overwrite()
    case .truncated: truncate()
    case .headerBits: flipInHeader()
    case .offsetBits: flipInOffsets()
    case .nodeBits: flipInNode()
    case .keyBits: flipInKey()
    case .valueBits: flipInValue()
    case .recordBits: flipInRecord()
    case .metaBits: flipInMeta()
    case .wrongRecord: changeRecord()
    case .wrongChild: changeChild()
    case .bomb: plantBomb()
    case .lostNode: loseNode()
    case .disorder: reorder()
    }
  }

  // MARK: Choosing

  static let treePages: Set<PageKind> = [.branch, .leaf, .overflow]

  /// Chooses a page, and counts the damage as one of it.
  mutating func choosePage(of kinds: Set<PageKind>, in tree: String? = nil) -> Int? {
    guard let place = sample.map.place(of: kinds, in: tree, &generator) else { return nil }
    if self.place == nil { self.place = place }
    return place.page
  }

  mutating func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { random(0..<whole) < part }

  mutating func note(_ text: String) { what += what.isEmpty ? text : ", \(text)" }

  /// Turns over 1 to 8 bits, mostly 1, of a stretch of the file.
  mutating func flip(in range: Range<Int>, _ name: String) {
    guard !range.isEmpty else { return }
    let count = chance(2, of: 3) ? 1 : random(1..<9)
    for _ in 0..<count {
      let offset = random(range)
      let bit = random(0..<8)
      file.bytes[offset] ^= 1 << UInt8(bit)
      note(
        "\(name) of page \(offset / TreePage.byteCount): bit \(bit) of byte \(offset % TreePage.byteCount)"
      )
    }
  }
}
