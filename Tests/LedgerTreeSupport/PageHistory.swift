import Foundation

/// What the pages of a data file held at different times: what a disk shows that lost a write.
package struct PageHistory: Sendable {
  /// What a page held for some time.
  package struct Version: Sendable, CustomStringConvertible {
    package let number: Int
    /// The look that saw it first, from 1.
    package let look: Int
    package let page: TreePage

    package var description: String { "page \(number) as of look \(look)" }
  }

  /// The path of the data file.
  private let path: String
  private var newest: [Data] = []

  /// The file as of the last look.
  package private(set) var file = TreeFile([])
  /// How often the file was looked at.
  package private(set) var lookCount = 0
  /// What was different from what the page held before, in the order of the looks.
  package private(set) var versions: [Version] = []

  /// - Parameter path: That of the data file.
  package init(_ path: String) { self.path = path }

  /// Reads the file and keeps what is new; after every commit, or a version may be missed.
  package mutating func look() throws {
    lookCount += 1
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    file = TreeFile(Array(data))
    for number in 0..<(data.count / TreePage.byteCount) {
      let begin = data.startIndex + number * TreePage.byteCount
      let content = data[begin..<(begin + TreePage.byteCount)]
      if number == newest.count {
        newest.append(Data(content))
      } else if newest[number] != content {
        newest[number] = Data(content)
      } else {
        continue
      }
      versions.append(Version(number: number, look: lookCount, page: TreePage(content)))
    }
  }

  /// The versions that the last look did not show any more.
  package var lostVersions: [Version] {
    versions.filter { $0.page != file[$0.number] }
  }
}
