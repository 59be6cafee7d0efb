import Foundation
import LedgerTreeSupport
import Synchronization

/// What the pages of a data file held at different times.
final class PageHistory: Sendable {
  private struct State {
    var newest: [Data] = []
    /// By page: each content that was different from the one before, the oldest first.
    var versions: [[Data]] = []
  }

  private let path: String
  private let state = Mutex(State())

  /// - Parameter path: That of the data file.
  init(_ path: String) { self.path = path }

  /// Reads the file and keeps what is new.
  func look() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    state.withLock { state in
      for page in 0..<(data.count / TreePage.byteCount) {
        let begin = data.startIndex + page * TreePage.byteCount
        let content = data[begin..<(begin + TreePage.byteCount)]
        if page < state.newest.count {
          guard state.newest[page] != content else { continue }
          state.versions[page].append(state.newest[page])
          state.newest[page] = Data(content)
        } else {
          state.newest.append(Data(content))
          state.versions.append([])
        }
      }
    }
  }

  /// For every page, what it held before; never what it holds in `file`.
  func staleVersions(of file: TreeFile) -> [Int: [TreePage]] {
    let versions = state.withLock { $0.versions }
    var result: [Int: [TreePage]] = [:]
    for page in 0..<min(versions.count, file.pageCount) {
      let current = file[page]
      let stale = versions[page].map { TreePage($0) }.filter { $0 != current }
      if !stale.isEmpty { result[page] = stale }
    }
    return result
  }
}
