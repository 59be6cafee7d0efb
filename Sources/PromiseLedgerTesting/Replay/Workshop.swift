import LedgerSystem
import PromiseLedger

/// A directory for the copies of a history. It is removed at the end of this value's lifetime.
struct Workshop: ~Copyable {
  private let directory: TemporaryDirectory

  init(in place: String = "/tmp") throws {
    directory = try TemporaryDirectory(in: place)
  }

  /// A path at which nothing exists yet.
  func path(_ name: String) -> String { directory.path + "/" + name }

  /// Exports a ledger to a new file.
  func export(_ ledger: String) throws -> String {
    let inspector = try BlockingInspector(at: ledger)
    defer { inspector.close() }
    let target = path("history.jsonl")
    var file = try AtomicFile(target)
    try inspector.export { try file.write($0) }
    try file.finish()
    return target
  }

  /// Makes a ledger from a history.
  func ledger(_ name: String, of archives: [String]) throws -> String {
    let target = path(name)
    // A history is replayed even if verification would report findings.
    _ = try LedgerImport().assemble(at: target, from: archives) { _ in }
    return target
  }

  /// Opens a ledger's store, without a session.
  static func store(at path: String) throws -> LMDBEventStore {
    try LMDBEventStore(
      opening: LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 40))
  }
}
