import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// A ledger imported from the archives that compactions wrote and from an export: it has every
/// event.
struct WholeHistory {
  /// The ledger with all events.
  let path: String

  /// Makes it beside a ledger that is closed, and compares the two: neither has findings, the events
  /// are the same, and replaying all of them leads to the state of the compacted ledger.
  init(
    of temporary: TemporaryLedger, archives directory: String, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let original = try BlockingInspector(at: temporary.path)
    defer { original.close() }
    let parent = FileSystem.parent(of: temporary.path)
    path = parent + "/whole"
    let exported = parent + "/export.jsonl"
    var export = try AtomicFile(exported)
    try original.export { try export.write($0) }
    try export.finish()
    let archives = try FileSystem.list(directory).filter { $0.hasSuffix(".jsonl") }.sorted()
    let summary = try LedgerImport().makeLedger(
      at: path, from: archives.map { directory + "/" + $0 } + [exported])
    let whole = try BlockingInspector(at: path)
    defer { whole.close() }
    #expect(
      summary.eventCount == Int(try original.head.rawValue), comment,
      sourceLocation: sourceLocation)
    let digests = (try whole.logDigest(), try original.logDigest())
    #expect(digests.0 == digests.1, comment, sourceLocation: sourceLocation)
    let states = (try whole.replay().digest(), try original.replay().digest())
    #expect(states.0 == states.1, comment, sourceLocation: sourceLocation)
    for inspector in [original, whole] {
      _ = try inspector.verify { finding in
        Issue.record("\(finding): \(comment ?? "")", sourceLocation: sourceLocation)
      }
    }
  }
}
