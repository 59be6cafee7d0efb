import Foundation
import PromiseLedgerTesting

@testable import LedgerRuntime
@testable import PromiseLedger

/// The ledgers, archives and recordings that earlier builds wrote, by their names.
enum FixtureFiles {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func path(_ name: String) -> String { folder.appending(path: name).path }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  /// A copy of a ledger, which a test may write to.
  static func copy(_ name: String) throws -> TemporaryLedger {
    let copy = try TemporaryLedger()
    try FileManager.default.copyItem(atPath: path(name), toPath: copy.path)
    return copy
  }

  /// What is wrong with a ledger.
  static func findings(at path: String) throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: path).verify { findings.append($0) }
    return findings
  }
}
