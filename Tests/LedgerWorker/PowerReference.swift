import LedgerSystem
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// The whole history of a ledger, assembled from its exports, and its state at each position.
final class PowerReference {
  let events: [LedgerEvent]
  private let whole: BlockingInspector
  private var digests: [Position: LedgerDigests] = [:]
  /// The last position that the first answers told of, by their number.
  private let positions: [UInt64]

  var id: LedgerID { whole.id }

  /// - Parameters:
  ///   - exports: Its exports, which begin with the first event, in order.
  ///   - path: The place for the ledger with all events.
  ///   - answers: The lines about events of this ledger that answers told of, as ``PowerSession`` prints them.
  init(exports: [String], at path: String, answers: [Substring]) throws {
    try LedgerImport().makeLedger(at: path, from: exports)
    whole = try BlockingInspector(at: path)
    events = try whole.allEvents()
    positions = try Self.positions(of: answers, in: events)
  }

  private static func positions(
    of answers: [Substring], in events: [LedgerEvent]
  ) throws -> [UInt64] {
    var known: [String: [UInt64]] = [:]
    for event in events {
      known["\(event.kind) \(event.subject)", default: []].append(event.position.rawValue)
    }
    var positions: [UInt64] = [0]
    for answer in answers {
      let words = answer.split(separator: " ")
      guard words.count == 5, let count = Int(words[4]),
        let found = known["\(words[2]) \(words[3])"], found.indices.contains(count - 1)
      else { throw UsageError(what: "an answer that tells of no event: \(answer)") }
      positions.append(max(positions.last ?? 0, found[count - 1]))
    }
    return positions
  }

  /// The position up to which events were acknowledged; `nil` if not even the ledger was.
  ///
  /// - Parameters:
  ///   - head: The last event that a session had seen.
  ///   - count: The number of answers.
  func acknowledged(head: UInt64?, answers count: Int) throws -> UInt64? {
    guard positions.indices.contains(count) else {
      throw UsageError(what: "there are not \(count) answers")
    }
    guard count > 0 else { return head }
    return max(head ?? 0, positions[count])
  }

  func digests(at position: Position) throws -> LedgerDigests {
    if let known = digests[position] { return known }
    let digests = try whole.digests(through: position)
    self.digests[position] = digests
    return digests
  }

  func attachment(of event: LedgerEvent) throws -> [UInt8] { try whole.attachment(of: event) }
}
