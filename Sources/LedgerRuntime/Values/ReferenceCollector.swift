import Synchronization

/// Notes the durable promises and handlers that are encoded, and the promises that are decoded, at any depth.
final class ReferenceCollector: Sendable {
  /// The promises and handlers that were encoded or decoded.
  struct References: Sendable, Hashable {
    var promises: Set<PromiseID> = []
    var handlers: Set<HandlerID> = []
    /// The ledgers to which they are attached.
    var ledgers: Set<LedgerID> = []

    mutating func formUnion(_ other: References) {
      promises.formUnion(other.promises)
      handlers.formUnion(other.handlers)
      ledgers.formUnion(other.ledgers)
    }
  }

  private let contents = Mutex(References())

  var references: References { contents.withLock { $0 } }

  func add(_ id: PromiseID, in ledger: LedgerID?) {
    contents.withLock { contents in
      contents.promises.insert(id)
      if let ledger { contents.ledgers.insert(ledger) }
    }
  }

  func add(_ id: HandlerID, in ledger: LedgerID?) {
    contents.withLock { contents in
      contents.handlers.insert(id)
      if let ledger { contents.ledgers.insert(ledger) }
    }
  }
}

extension Encoder {
  /// The collector of promises and handlers while arguments are encoded.
  var referenceCollector: ReferenceCollector? {
    userInfo[.referenceCollector] as? ReferenceCollector
  }
}

extension Decoder {
  /// The collector of promises while arguments are decoded.
  var referenceCollector: ReferenceCollector? {
    userInfo[.referenceCollector] as? ReferenceCollector
  }
}

extension CodingUserInfoKey {
  static let referenceCollector = CodingUserInfoKey(ledgerKey: "promise-ledger-references")

  /// A key of this library.
  init(ledgerKey name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else {
      preconditionFailure("a key can be made of any text")
    }
    self = key
  }
}
