import Foundation

/// Standard error: notes for people.
enum StandardError {
  /// Prints a note under the command's name, with stored text made harmless.
  static func note(_ text: String) {
    write("promise-ledger: \(text.escapingControlCharacters)")
  }

  /// Prints a question, with stored text made harmless. The answer follows on the same line.
  static func ask(_ question: String) {
    print("promise-ledger: \(question.escapingControlCharacters)")
  }

  static func write(_ line: String) { print("\(line)\n") }

  private static func print(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
