/// A handle on a promise in a ledger: its id and the codec of its values.
///
/// A handle is cheap, holds no state, and can be made from the id at any time and in any process. It encodes
/// as its id. When decoded, it attaches to the ledger in the decoder's `userInfo` under
/// `CodingUserInfoKey.promiseLedger`; without a ledger, it can only name the promise.
///
/// A promise that is an argument of a handler is rejected if the code fails; see
/// ``HandlerFailurePolicy``.
public struct DurablePromise<Value: Sendable>: Sendable, Identifiable {
  /// The id of the promise.
  public let id: PromiseID

  /// The codec of the promise's values.
  package let codec: PayloadCodec<Value>

  private let attachedLedger: Ledger?

  package init(id: PromiseID, ledger: Ledger?, codec: PayloadCodec<Value>) {
    self.id = id
    attachedLedger = ledger
    self.codec = codec
  }

  /// The ledger that the promise is in.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` if the handle was decoded without a ledger.
  package var ledger: Ledger {
    get throws(LedgerError) {
      try attachedLedger.required(by: "promise \(id)", orMadeWith: "promise(id:of:)")
    }
  }

  /// The ledger's id, if the handle is attached to one.
  var ledgerID: LedgerID? { attachedLedger?.id }
}

extension DurablePromise: Hashable {
  /// Handles on the same promise are equal.
  public static func == (left: DurablePromise, right: DurablePromise) -> Bool {
    left.id == right.id
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

extension DurablePromise: CustomStringConvertible {
  /// The type and the id.
  public var description: String { "DurablePromise<\(Value.self)>(\(id))" }
}

extension DurablePromise: Codable {
  /// Decodes the id, and attaches the ledger of the decoder's `userInfo`.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` if `Value` needs its own codec and the ledger's
  ///   ``LedgerConfiguration/codecs`` do not have one.
  public init(from decoder: any Decoder) throws {
    let id = try PromiseID(from: decoder)
    decoder.referenceCollector?.add(id, in: nil)
    guard let ledger = decoder.userInfo[.promiseLedger] as? Ledger else {
      self.init(detachedWith: id)
      return
    }
    let codec = try ledger.configuration.codecs.codec(for: Value.self)
    self.init(id: id, ledger: ledger, codec: codec)
  }

  /// Makes a handle that can only name the promise.
  init(detachedWith id: PromiseID) {
    let detached = "The handle on promise \(id) is attached to no ledger."
    let codec = PayloadCodec<Value>(
      typeTag: LedgerRuntime.payloadTypeTag(of: Value.self),
      encode: { _ in throw LedgerError(.encodingFailed, detached) },
      decode: { _ in throw LedgerError(.decodingFailed, detached) })
    self.init(id: id, ledger: nil, codec: codec)
  }

  /// Encodes the id.
  public func encode(to encoder: any Encoder) throws {
    encoder.referenceCollector?.add(id, in: ledgerID)
    try id.encode(to: encoder)
  }
}

extension DurablePromise: PayloadTagged {
  /// `promise<VALUE>` with the type tag of the value.
  public static var payloadTypeTag: String {
    let codec: PayloadCodec<Value>? = try? .standard()
    return "promise<\(codec?.typeTag ?? LedgerRuntime.payloadTypeTag(of: Value.self))>"
  }

  /// `promise<VALUE>` with each former type tag of the value.
  public static var formerPayloadTypeTags: [String] {
    payloadTypeTags(of: Value.self).dropFirst().map { "promise<\($0)>" }
  }
}

extension Ledger? {
  /// The ledger that a handle is attached to.
  func required(
    by subject: @autoclosure () -> String, orMadeWith method: String
  ) throws(LedgerError) -> Ledger {
    guard let self else {
      throw LedgerError(
        .invalidArgument,
        "The handle on \(subject()) was decoded without a ledger. Put one into the decoder's userInfo, or make the handle with \(method)."
      )
    }
    return self
  }
}

extension CodingUserInfoKey {
  /// The key under which a decoder finds the ledger for decoded promises and handlers.
  public static let promiseLedger = CodingUserInfoKey(ledgerKey: "promise-ledger")
}
