import LedgerSystem
import PromiseLedger

/// The copies of a history, and a directory for its archives. The directory is removed at the end of this value's
/// lifetime.
struct Workshop: ~Copyable {
  private let directory: TemporaryDirectory
  let copies: any ReplayCopies

  init(
    in place: String = "/tmp", _ makeCopies: ReplayVerifier.CopyMaker = ReplayVerifier.filesOnly
  ) throws {
    directory = try TemporaryDirectory(in: place)
    copies = makeCopies(directory.path)
  }

  /// Exports a ledger to a new file.
  func export(_ inspector: BlockingInspector) throws -> String {
    defer { inspector.close() }
    let target = "\(directory.path)/history.jsonl"
    var file = try AtomicFile(target)
    try inspector.export { try file.write($0) }
    try file.finish()
    return target
  }
}
