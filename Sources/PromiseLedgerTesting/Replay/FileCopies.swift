import PromiseLedger

/// Ledgers in the subdirectories of a directory.
struct FileCopies: ReplayCopies {
  let directory: String

  func makeLedger(_ name: String, from archives: [String]) throws {
    // A history is replayed even if verification would report findings.
    _ = try LedgerImport().assemble(at: argument(name), from: archives) { _ in }
  }

  func openStore(_ name: String) throws -> any EventStore {
    try LMDBEventStore(
      opening: LedgerDirectory(argument(name)), options: StoreOptions(sizeLimit: 1 << 40))
  }

  func inspect(_ name: String) throws -> BlockingInspector {
    try BlockingInspector(at: argument(name))
  }

  func argument(_ name: String) -> String { "\(directory)/\(name)" }
}
