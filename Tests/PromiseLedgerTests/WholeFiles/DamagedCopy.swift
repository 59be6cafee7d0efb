import Foundation
import LedgerBytes
import LedgerLMDB
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// What a ledger holds, and where in its data file: it tells, without any knowledge of pages, what is intact in
/// a damaged copy.
struct IntactOracle {
  /// A stored value, and the places of its bytes in the whole file.
  struct Value {
    let positions: ClosedRange<UInt64>
    let bytes: [UInt8]
    let places: [Int]

    func isIntact(in file: [UInt8]) -> Bool {
      places.contains { place in
        place + bytes.count <= file.count && file[place..<place + bytes.count].elementsEqual(bytes)
      }
    }
  }

  let path: String
  let file: [UInt8]
  let frames: [Value]
  let chunks: [Value]
  /// The line of each event in an archive.
  let lines: [UInt64: String]
  let deletedThrough: UInt64

  init(_ path: String) throws {
    self.path = path
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.dataFile(path)))
    file = Array(data)
    var frames: [Value] = []
    var chunks: [Value] = []
    try CompactedLedger.edit(path) { transaction, tables in
      try transaction.scan(try tables("log")) { key, value in
        let bytes = [UInt8](copying: value)
        let count = UInt64(bytes[6]) | UInt64(bytes[7]) << 8
        frames.append(Value(key...(key + count - 1), bytes, in: data))
        return true
      }
      try transaction.scan(try tables("blob"), fromKey: [0].span) { key, value in
        let position = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(key[$1]) }
        chunks.append(Value(position...position, [UInt8](copying: value), in: data))
        return true
      }
    }
    self.frames = frames
    self.chunks = chunks
    let inspector = try BlockingInspector(at: path)
    lines = Self.lines(of: try inspector.archive())
    deletedThrough = try inspector.store.snapshotSummary().deletedThrough.rawValue
  }

  static func dataFile(_ path: String) -> String { path + "/generation-000001/data.mdb" }

  /// The lines of events in an archive or a file of loose events.
  static func lines(of text: [UInt8]) -> [UInt64: String] {
    let start = #"{"type":"event","position":"#
    var lines: [UInt64: String] = [:]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(start) {
      let digits = line.dropFirst(start.count).prefix { $0.isNumber }
      if let position = UInt64(digits) { lines[position] = String(line) }
    }
    return lines
  }

  /// The positions of the events whose frames are intact.
  func intactEvents(in file: [UInt8]) -> Set<UInt64> {
    Set(frames.filter { $0.isIntact(in: file) }.flatMap { Array($0.positions) })
  }

  /// The positions of the events of which a part of the large value is damaged.
  func lostValues(in file: [UInt8]) -> Set<UInt64> {
    Set(chunks.filter { !$0.isIntact(in: file) }.map(\.positions.lowerBound))
  }
}

extension IntactOracle.Value {
  fileprivate init(_ positions: ClosedRange<UInt64>, _ bytes: [UInt8], in file: Data) {
    var places: [Int] = []
    let wanted = Data(bytes)
    var start = file.startIndex
    while let range = file.range(of: wanted, in: start..<file.endIndex) {
      places.append(range.lowerBound)
      start = range.lowerBound + 1
    }
    self.init(positions: positions, bytes: bytes, places: places)
  }
}

/// Damage to a data file, chosen by a seed.
struct FileDamage: CustomStringConvertible {
  private static let pageByteCount = 4_096
  private(set) var description = ""
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func apply(to original: [UInt8]) -> [UInt8] {
    var file = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&file) }
    return file
  }

  private mutating func damage(_ file: inout [UInt8]) {
    guard file.count > 4 * Self.pageByteCount else { return }
    let pages = file.count / Self.pageByteCount
    let page = Int.random(in: 0..<pages, using: &generator) * Self.pageByteCount
    switch Int.random(in: 0..<8, using: &generator) {
    case 0:
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        file[Int.random(in: 0..<file.count, using: &generator)] ^=
          1 << UInt8.random(in: 0..<8, using: &generator)
      }
      note("bits")
    case 1:
      let count = Int.random(in: 1...4, using: &generator) * Self.pageByteCount
      fill(&file, page..<min(page + count, file.count)) { _ in 0 }
      note("zeroed pages at \(page)")
    case 2:
      let half = page + Int.random(in: 0..<8, using: &generator) * 512
      fill(&file, half..<page + Self.pageByteCount) { $0.next() }
      note("a torn page at \(page)")
    case 3:
      file.removeSubrange(Int.random(in: file.count / 2..<file.count, using: &generator)...)
      note("cut to \(file.count)")
    case 4:
      let meta = Int.random(in: 0...1, using: &generator) * Self.pageByteCount
      fill(&file, meta..<meta + 160) { $0.next() }
      note("a meta page")
    case 5:
      fill(&file, 0..<2 * Self.pageByteCount) { _ in 0 }
      note("both meta pages")
    case 6:
      fill(&file, page..<page + 16) { $0.next() }
      note("the header of the page at \(page)")
    default:
      let end = Int.random(in: 16..<128, using: &generator)
      fill(&file, page + 16..<page + end) { $0.next() }
      note("the node offsets of the page at \(page)")
    }
  }

  private mutating func fill(
    _ file: inout [UInt8], _ range: Range<Int>, _ byte: (inout SeededGenerator) -> UInt64
  ) {
    for index in range where index < file.count {
      file[index] = UInt8(truncatingIfNeeded: byte(&generator))
    }
  }

  private mutating func note(_ what: String) {
    description += description.isEmpty ? what : ", " + what
  }
}
