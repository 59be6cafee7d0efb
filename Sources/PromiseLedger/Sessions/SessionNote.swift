import LedgerBytes
package import LedgerSystem

/// The contents of a session's lock file: the process of the session.
///
/// It is never synced. After a power loss it is torn, or names an earlier boot of the machine.
package struct SessionNote: Sendable, Hashable {
  /// The maximum size of a note, in bytes.
  package static let maximumByteCount = 128

  package let process: ProcessIdentity

  package init(_ process: ProcessIdentity) {
    self.process = process
  }

  /// The note as one line of text; see the article *File format*.
  package var encoded: [UInt8] {
    let content = Array("\(process) ".utf8)
    return content + Self.ending(content)
  }

  /// Reads a note.
  ///
  /// - Returns: `nil` if it is incomplete.
  package init?(decoding bytes: [UInt8]) {
    let endingCount = Self.ending([]).count
    guard bytes.count > endingCount, bytes.count <= Self.maximumByteCount else { return nil }
    let content = Array(bytes.dropLast(endingCount))
    guard content + Self.ending(content) == bytes, content.last == UInt8(ascii: " ") else {
      return nil
    }
    guard let process = ProcessIdentity(String(decoding: content.dropLast(), as: UTF8.self))
    else { return nil }
    self.init(process)
  }

  /// The checksum and the end of the line.
  private static func ending(_ content: [UInt8]) -> [UInt8] {
    let digits = String(CRC32C.checksum(content.span), radix: 16)
    let padding = String(repeating: "0", count: 8 - digits.count)
    return Array("\(padding)\(digits)\n".utf8)
  }
}
