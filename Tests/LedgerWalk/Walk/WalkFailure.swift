import Foundation
package import LedgerOracle

/// A list of commands of which the last is answered in another way than the rules say.
package struct WalkFailure: Sendable, CustomStringConvertible {
  package let seed: UInt64
  package let steps: [OracleStep]
  package let problem: String
  /// The number of commands before the list was shortened.
  package let stepCount: Int

  /// The problem and the commands, one a line, as `ledger-long-run replay` reads them.
  package var description: String {
    let lines = steps.map(Self.line).joined(separator: "\n")
    return """
      \(problem)
      seed \(seed), \(steps.count) of \(stepCount) commands:
      \(lines)
      """
  }

  package static func line(_ step: OracleStep) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try? encoder.encode(step)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\(step)"
  }

  /// Reads the commands of a printed list, and ignores all other lines.
  package static func steps(in text: String) throws -> [OracleStep] {
    try text.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      try JSONDecoder().decode(OracleStep.self, from: Data($0.utf8))
    }
  }
}
