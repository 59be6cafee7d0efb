import Foundation

/// A new directory on the disk of the working directory, removed with the last reference. `/tmp` may be in memory.
final class Place: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.currentDirectoryPath + "/.build/comparison-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A new directory in it.
  func directory(_ name: String) throws -> String {
    let directory = path + "/" + name
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return directory
  }

  /// The bytes of all files whose names begin so.
  func byteCount(ofFilesBeginningWith prefix: String) throws -> Int {
    let files = try FileManager.default.subpathsOfDirectory(atPath: path)
    return try files.filter { $0.hasPrefix(prefix) }.reduce(0) { sum, file in
      let facts = try FileManager.default.attributesOfItem(atPath: path + "/" + file)
      guard facts[.type] as? FileAttributeType == .typeRegular else { return sum }
      return sum + (facts[.size] as? Int ?? 0)
    }
  }
}
