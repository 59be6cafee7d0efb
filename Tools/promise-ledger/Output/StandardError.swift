import Foundation

/// Standard error: notes for people.
enum StandardError {
  /// Prints a note under the command's name, with stored text made harmless.
  static func note(_ text: String) {
    write("promise-ledger: \(text.escapingControlCharacters)")
  }

  static func write(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }
}
