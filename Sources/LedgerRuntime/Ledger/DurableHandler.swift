/// A handle on a handler in a ledger: its id.
///
/// A handle is cheap, holds no state, and can be made from the id or the key at any time and in any process.
/// It encodes as its id, so it can be an argument of another handler. When decoded, it attaches to the ledger
/// in the decoder's `userInfo` under `CodingUserInfoKey.promiseLedger`; without a ledger, it can only name
/// the handler.
public struct DurableHandler: Sendable, Identifiable {
  /// The id of the handler.
  public let id: HandlerID

  private let attachedLedger: Ledger?

  package init(id: HandlerID, ledger: Ledger?) {
    self.id = id
    attachedLedger = ledger
  }

  /// The ledger that the handler is in.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` if the handle was decoded without a ledger.
  package var ledger: Ledger {
    get throws(LedgerError) {
      try attachedLedger.required(by: "handler \(id)", orMadeWith: "handler(id:)")
    }
  }

  /// The ledger's id, if the handle is attached to one.
  var ledgerID: LedgerID? { attachedLedger?.id }
}

extension DurableHandler: Hashable {
  /// Handles on the same handler are equal.
  public static func == (left: DurableHandler, right: DurableHandler) -> Bool {
    left.id == right.id
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

extension DurableHandler: CustomStringConvertible {
  /// The id.
  public var description: String { "DurableHandler(\(id))" }
}

extension DurableHandler: Codable {
  /// Decodes the id, and attaches the ledger of the decoder's `userInfo`.
  public init(from decoder: any Decoder) throws {
    self.init(
      id: try HandlerID(from: decoder), ledger: decoder.userInfo[.promiseLedger] as? Ledger)
  }

  /// Encodes the id.
  public func encode(to encoder: any Encoder) throws {
    encoder.referenceCollector?.add(id, in: ledgerID)
    try id.encode(to: encoder)
  }
}

extension DurableHandler: PayloadTagged {
  /// `handler`.
  public static var payloadTypeTag: String { "handler" }
}
