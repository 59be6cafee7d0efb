import Foundation
import PromiseLedger

/// Standard output, without a buffer.
enum Output {
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// What the parent may look for, in a form that it can take apart.
  static func describe(_ error: any Error) -> String {
    guard let error = error as? LedgerError else { return "error other \(error)" }
    return "error \(error)".split(separator: "\n").joined(separator: " ")
  }

  static func fail(_ error: any Error) -> Never {
    line(describe(error))
    exit(1)
  }
}
