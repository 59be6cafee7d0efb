import Foundation
import LedgerBytes
import LedgerSystem

/// The directories and files of a disk, by their paths.
struct DiskTree {
  struct Item {
    let path: String
    let file: FileNumber
    var image: FileImage
  }

  var directories: [String] = []
  var files: [Item] = []

  /// Writes all of it into a new directory, in place of one that is there.
  func replace(_ root: String) throws {
    try FileSystem.removeTree(root)
    try FileSystem.createDirectory(root)
    for directory in directories { try FileSystem.createDirectory("\(root)/\(directory)") }
    for item in files {
      try Data(item.image.bytes).write(to: URL(fileURLWithPath: "\(root)/\(item.path)"))
    }
  }

  /// Distinguishes it from others, barring accidents.
  ///
  /// - Parameter names: The names in the root that count, including temporary files for these
  ///   names.
  func fingerprint(of names: [String]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ bytes: [UInt8]) {
      hash = (hash ^ UInt64(CRC32C.checksum(bytes.span))) &* 0x100_0000_01B3
      hash ^= hash >> 29
    }
    for path in directories where Self.belongs(path, to: names) { add(Array(path.utf8)) }
    for item in files where Self.belongs(item.path, to: names) {
      add(Array("\(item.path) \(item.image.byteCount)".utf8))
      for page in item.image.pages { add(page) }
    }
    return hash
  }

  /// Whether there is anything with one of these names, or a temporary file for one.
  func has(_ names: [String]) -> Bool {
    directories.contains { Self.belongs($0, to: names) }
  }

  private static func belongs(_ path: String, to names: [String]) -> Bool {
    names.contains { path == $0 || path.hasPrefix($0 + "/") || path.hasPrefix(".\($0).new-") }
  }
}
