/// The names of files that are written beside their final place: a dot, the final name, `.new-`,
/// and letters and digits that should be unique.
package enum TemporaryName {
  private static let mark = ".new-"
  private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  private static let suffixByteCount = 12

  /// A new temporary name.
  static func make(for name: String) -> String {
    let suffix = (0..<suffixByteCount).map { _ in
      alphabet[Int.random(in: 0..<alphabet.count)]
    }
    return ".\(name)\(mark)\(String(decoding: suffix, as: UTF8.self))"
  }

  /// The final name that belongs to a temporary one; `nil` if the name does not have that form.
  package static func target(of temporary: String) -> String? {
    let bytes = Array(temporary.utf8)
    let markBytes = Array(mark.utf8)
    let end = bytes.count - suffixByteCount - markBytes.count
    guard end > 1, bytes[0] == UInt8(ascii: "."), bytes[end...].starts(with: markBytes),
      bytes[(end + markBytes.count)...].allSatisfy({ alphabet.contains($0) })
    else { return nil }
    return String(decoding: bytes[1..<end], as: UTF8.self)
  }
}

extension DirectoryHandle {
  /// Creates a directory (mode 0700) with a temporary name.
  ///
  /// - Returns: Its name.
  package borrowing func createUniqueDirectory(for name: String) throws(SystemError) -> String {
    while true {
      let temporary = TemporaryName.make(for: name)
      do throws(SystemError) {
        try createDirectory(temporary)
        return temporary
      } catch {
        // 62 random bits do not collide by accident. The next name is free.
        guard error.code == .exists else { throw error }
      }
    }
  }

  /// The temporary names in it that belong to the final name `name`.
  package borrowing func temporaryNames(for name: String) throws(SystemError) -> [String] {
    try list().filter { TemporaryName.target(of: $0) == name }
  }
}
