import Foundation

/// Standard error: notes for people.
enum StandardError {
  /// Prints a note under the command's name, with stored text made harmless.
  static func note(_ text: String) {
    write("\(Program.tool.name): \(text.escapingControlCharacters)")
  }

  /// Prints a question, with stored text made harmless. The answer follows on the same line.
  static func ask(_ question: String) {
    print("\(Program.tool.name): \(question.escapingControlCharacters)")
  }

  static func write(_ line: String) { print("\(line)\n") }

  /// Draws on the terminal, which obeys the text.
  static func draw(_ text: String) { print(text) }

  /// Whether it is a terminal that can draw.
  static var canDraw: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  private static func print(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
