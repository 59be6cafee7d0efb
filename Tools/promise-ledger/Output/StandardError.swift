import Foundation

/// Standard error: notes for people.
enum StandardError {
  /// Says something under the command's name, with whatever was stored made harmless.
  static func note(_ text: String) {
    write("promise-ledger: \(text.escapingControlCharacters)")
  }

  static func write(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }
}
