import LedgerSystem
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// The whole history of a ledger, put together from its exports, and what it came to at each position.
final class PowerReference {
  let events: [LedgerEvent]
  private let whole: LedgerInspector
  private var digests: [Position: LedgerDigests] = [:]

  /// - Parameters:
  ///   - exports: Its exports, which begin with the first event, in their order.
  ///   - path: Where the ledger with all events is made.
  init(exports: [String], at path: String) throws {
    try LedgerImport().makeLedger(at: path, from: exports)
    whole = try Ledger.inspect(at: path)
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
