import Foundation
import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedger
import PromiseLedgerTesting

/// A ledger whose data file is captured after every commit, and copies of it in which one page has
/// an earlier content.
struct LostWrites {
  let temporary: TemporaryLedger
  private var history: PageHistory
  /// The leaves of the log at each capture.
  private var logLeaves: [Set<Int>] = []

  private static let file = "/generation-000001/data.mdb"

  init() throws {
    temporary = try TemporaryLedger()
    history = PageHistory(temporary.path + Self.file)
  }

  /// Captures the file as it is now.
  mutating func look() throws {
    try history.look()
    let file = history.file
    var leaves: Set<Int> = []
    if let log = file.tree(named: "log") {
      file.forEachPage(of: log) { number, page, _ in
        if page.flags == .leaf { leaves.insert(number) }
      }
    }
    logLeaves.append(leaves)
  }

  /// The versions that were no longer in the last capture, without those of meta pages.
  var versions: [PageHistory.Version] { history.lostVersions.filter { $0.number > 1 } }

  /// The versions that are tried: of each page the newest, which a disk shows that lost its last write, and some
  /// older ones; all of them in a long run.
  var chosenVersions: [PageHistory.Version] {
    let all = versions
    let newest = Dictionary(all.map { ($0.number, $0.look) }, uniquingKeysWith: max)
    return all.enumerated().filter { index, version in
      TestAmount.factor > 1 || version.look == newest[version.number] || index.isMultiple(of: 4)
    }.map(\.element)
  }

  /// The two pages that lead to all the others, each with its content before its last write.
  var metaVersions: [PageHistory.Version] {
    let lost = history.lostVersions
    return (0..<2).compactMap { number in lost.last { $0.number == number } }
  }

  /// Whether a page was a leaf of the log, and is one now.
  func isLogLeaf(_ version: PageHistory.Version) -> Bool {
    logLeaves[version.look - 1].contains(version.number)
      && logLeaves.last?.contains(version.number) == true
  }

  /// A copy of the ledger; with a version of a page put back, if one is given.
  func ledger(with version: PageHistory.Version? = nil) throws -> TemporaryLedger {
    var file = history.file
    if let version { file[version.number] = version.page }
    let copy = try TemporaryLedger()
    try FileManager.default.copyItem(atPath: temporary.path, toPath: copy.path)
    try? FileManager.default.removeItem(atPath: copy.path + "/generation-000001/lock.mdb")
    try Data(file.bytes).write(to: URL(fileURLWithPath: copy.path + Self.file))
    try AcknowledgedMark.carry(from: temporary.path, to: copy.path)
    return copy
  }
}
