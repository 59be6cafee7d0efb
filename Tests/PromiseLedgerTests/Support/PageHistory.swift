import Foundation
import LedgerSystem
import LedgerTreeSupport
import PromiseLedgerTesting

@testable import PromiseLedger

/// A ledger whose data file was copied after every commit: the last copy, and every older version of each
/// of its pages, as a disk that lost a write would show it.
struct PageHistory {
  static let pageSize = 4096

  /// A page as it was before the last commits.
  struct Version: CustomStringConvertible {
    let page: Int
    /// The copy that it was seen in first.
    let copy: Int
    let bytes: Data

    var description: String { "page \(page) as of copy \(copy)" }

    /// Whether it was a leaf of the log.
    let isLogLeaf: Bool
  }

  let temporary: TemporaryLedger
  private(set) var last = Data()
  private(set) var versions: [Version] = []
  private var newest: [Int: Data] = [:]
  private var copyCount = 0

  init() throws {
    temporary = try TemporaryLedger()
  }

  private static let file = "/generation-000001/data.mdb"

  /// Takes a copy of the file as it is now.
  mutating func record() throws {
    copyCount += 1
    last = try Data(contentsOf: URL(fileURLWithPath: temporary.path + Self.file))
    let file = TreeFile(Array(last))
    logLeaves = []
    if let log = file.tree(named: "log") {
      file.forEachPage(of: log) { number, page, _ in
        if page.flags == .leaf { logLeaves.insert(number) }
      }
    }
    for page in 0..<(last.count / Self.pageSize) {
      let bytes = last[page * Self.pageSize..<(page + 1) * Self.pageSize]
      guard newest[page] != bytes else { continue }
      newest[page] = bytes
      versions.append(
        Version(
          page: page, copy: copyCount, bytes: bytes, isLogLeaf: logLeaves.contains(page)))
    }
  }

  /// The leaves of the log in the last copy.
  private(set) var logLeaves: Set<Int> = []

  /// The versions that the last copy does not show any more.
  var lostVersions: [Version] { lostVersions { $0 >= 2 } }

  /// Of the two pages that say where the others are, each as it was before its last write.
  var lostMetaVersions: [Version] {
    (0..<2).compactMap { page in lostVersions { $0 == page }.last }
  }

  private func lostVersions(_ isMeant: (Int) -> Bool) -> [Version] {
    versions.filter { isMeant($0.page) && newest[$0.page] != $0.bytes }
  }

  /// Makes the mark of what was acknowledged hold for the other file, too.
  private func carryMark(to copy: TemporaryLedger) throws {
    let id = try Ledger.inspect(at: temporary.path).id
    let (from, to) = (LedgerDirectory(temporary.path), LedgerDirectory(copy.path))
    let generation = LedgerDirectory.firstGeneration
    let mark = try AcknowledgedMark(of: id, in: from, generation: generation)
    guard let position = mark.position(inFile: from.wake) else { return }
    let words = try SharedWords(path: to.wake)
    try AcknowledgedMark(of: id, in: to, generation: generation).move(to: position, in: words)
  }

  /// A copy of the ledger; with a version of a page put back, if one is given.
  func ledger(with version: Version? = nil) throws -> TemporaryLedger {
    var data = last
    if let version {
      let start = version.page * Self.pageSize
      data.replaceSubrange(start..<start + Self.pageSize, with: version.bytes)
    }
    let copy = try TemporaryLedger()
    try FileManager.default.copyItem(atPath: temporary.path, toPath: copy.path)
    try? FileManager.default.removeItem(atPath: copy.path + "/generation-000001/lock.mdb")
    try data.write(to: URL(fileURLWithPath: copy.path + Self.file))
    try carryMark(to: copy)
    return copy
  }
}
