import Foundation

/// The contents of the pages of a data file at different times, for imitating a disk that lost a
/// write.
package struct PageHistory: Sendable {
  /// The contents of a page during some time.
  package struct Version: Sendable, CustomStringConvertible {
    package let number: Int
    /// The first capture that contains it, from 1.
    package let look: Int
    package let page: TreePage

    package var description: String { "page \(number) as of look \(look)" }
  }

  /// The path of the data file.
  private let path: String
  private var newest: [Data] = []

  /// The file as of the last capture.
  package private(set) var file = TreeFile([])
  /// How often the file was looked at.
  package private(set) var lookCount = 0
  /// The changed page contents, in the order of the captures.
  package private(set) var versions: [Version] = []

  /// - Parameter path: That of the data file.
  package init(_ path: String) { self.path = path }

  /// Reads the file and keeps the changes. Call it after every commit, or a version may be missed.
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

  /// The versions that were no longer in the last capture.
  package var lostVersions: [Version] {
    versions.filter { $0.page != file[$0.number] }
  }
}
