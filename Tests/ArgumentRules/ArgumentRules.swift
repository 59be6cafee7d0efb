import ArgumentParser
package import LedgerFuzzTargets

@testable import LedgerVerbs
@testable import promise_ledger

/// A command line of any words is parsed or refused, and what the tool then prints is harmless.
///
/// The words are separated by zero bytes.
package enum ArgumentRules {
  package static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let words = words(in: bytes)
    for word in words { try WordRules.check(word) }
    try checkParsing(words)
  }

  /// Checks the values of words alone, which is quick.
  package static func checkWords(_ bytes: [UInt8]) throws(FuzzFinding) {
    for word in words(in: bytes) { try WordRules.check(word) }
  }

  private static func words(in bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private static func checkParsing(_ words: [String]) throws(FuzzFinding) {
    Program.install(FileTool())
    do {
      _ = try ToolCommand.parseAsRoot(words)
    } catch {
      let code = ToolCommand.exitCode(for: error)
      try FuzzFinding.unless(
        code.isSuccess || code == .validationFailure, "\(words) end with \(code.rawValue)")
      let message = ToolCommand.fullMessage(for: error).escapingLines(echoing: words)
      try FuzzFinding.unless(!message.isEmpty, "\(words) are refused without a reason")
      // Only these separate lines.
      let isHarmless = message.unicodeScalars.allSatisfy { $0 == "\n" || !isControl($0) }
      try FuzzFinding.unless(isHarmless, "\(words) lead to a message with control characters")
    }
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }
}
