import LedgerSystem
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// The whole history of a ledger, assembled from its exports, and its state at each position.
final class PowerReference {
  let events: [LedgerEvent]
  private let whole: BlockingInspector
  private var digests: [Position: LedgerDigests] = [:]

  /// - Parameters:
  ///   - exports: Its exports, which begin with the first event, in order.
  ///   - path: The place for the ledger with all events.
  init(exports: [String], at path: String) throws {
    try LedgerImport().makeLedger(at: path, from: exports)
    whole = try BlockingInspector(at: path)
    events = try whole.allEvents()
  }

  func digests(at position: Position) throws -> LedgerDigests {
    if let known = digests[position] { return known }
    let digests = try whole.digests(through: position)
    self.digests[position] = digests
    return digests
  }

  func attachment(of event: LedgerEvent) throws -> [UInt8] { try whole.attachment(of: event) }
}
