import Foundation

/// Standard input, for commands that read names from it.
///
/// The parent reads it to its end, and hands it to the child, whose own standard input shows whether the parent
/// is still there.
enum StandardInput {
  /// Enough for more than a million ids.
  static let maximumByteCount = 64 << 20
  private static let headerByteCount = 8

  /// Reads to the end.
  ///
  /// - Throws: ``Status/Failure`` if there is too much.
  static func readAll() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let data: Data
      do {
        data = try FileHandle.standardInput.read(upToCount: 1 << 16) ?? Data()
      } catch {
        throw Status.Failure(
          .systemFailure, "Standard input cannot be read: \(error.localizedDescription)")
      }
      if data.isEmpty { return bytes }
      bytes += data
      guard bytes.count <= maximumByteCount else {
        throw Status.Failure(
          .usage,
          "Standard input has more than \(maximumByteCount) bytes. Change fewer things at once.")
      }
    }
  }

  /// The bytes after their count.
  static func framed(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt64(bytes.count)
    return (0..<headerByteCount).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + bytes
  }

  /// What the parent hands over, in the child.
  static func takeFramed() throws -> [UInt8] {
    let header = try take(headerByteCount)
    let count = (0..<headerByteCount).reduce(0 as UInt64) { $0 | UInt64(header[$1]) << (8 * $1) }
    guard count <= maximumByteCount else { throw Lost() }
    return try take(Int(count))
  }

  private static func take(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let data = try FileHandle.standardInput.read(upToCount: count - bytes.count) ?? Data()
      guard !data.isEmpty else { throw Lost() }
      bytes += data
    }
    return bytes
  }

  /// The parent has ended.
  struct Lost: Error {}
}
