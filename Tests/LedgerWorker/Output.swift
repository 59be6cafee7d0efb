import Foundation
import LedgerTestSupport
import PromiseLedger

/// Standard output, without a buffer.
enum Output {
  static func line(_ text: String) { WholeLine.print(text) }

  /// An error that the parent may look for, in a form that it can parse.
  static func describe(_ error: any Error) -> String {
    guard let error = error as? LedgerError else { return "error other \(error)" }
    return "error \(error)".split(separator: "\n").joined(separator: " ")
  }

  static func fail(_ error: any Error) -> Never {
    line(describe(error))
    exit(1)
  }
}
