import LedgerSystem
package import PromiseLedgerTesting

/// A file that holds an archive, in a directory of its own.
package struct ArchiveFile {
  package let temporary: TemporaryLedger
  package let path: String

  /// Where an import may make a ledger.
  package var target: String { temporary.path }

  package init(_ bytes: [UInt8]) throws {
    temporary = try TemporaryLedger()
    path = FileSystem.parent(of: temporary.path) + "/archive.jsonl"
    try FileSystem.writeAtomically(bytes, to: path)
  }

  /// The names beside the archive.
  package func neighbours() throws -> [String] {
    try FileSystem.list(FileSystem.parent(of: path)).filter { $0 != "archive.jsonl" }
  }
}
