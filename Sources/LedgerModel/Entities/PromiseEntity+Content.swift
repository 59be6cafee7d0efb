import LedgerBytes

extension PromiseEntity {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let resolved = Flags(rawValue: 1)
    static let consumed = Flags(rawValue: 2)
    static let abandoned = Flags(rawValue: 4)
    /// Only in layout 2.
    static let progress = Flags(rawValue: 8)
  }

  /// The content of the snapshot record; see the article *File format*. In layout 2, an outline comes first.
  var content: [UInt8] {
    var flags: Flags = []
    if resolution != nil { flags.insert(.resolved) }
    switch closing {
    case .consumed: flags.insert(.consumed)
    case .abandoned: flags.insert(.abandoned)
    case nil: break
    }
    if progress != nil { flags.insert(.progress) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      3 * (LedgerEvent.Trace.byteCount + 2) + creationPayload.count
        + (resolution?.payload.count ?? 0) + 8)
    bytes.append(flags.rawValue)
    bytes.appendFact(created)
    bytes.appendPayload(creationPayload)
    if let resolution {
      bytes.appendFact(resolution.fact)
      bytes.appendLittleEndian(UInt32(clamping: resolution.attachmentByteCount))
      bytes.appendPayload(resolution.payload)
    }
    switch closing {
    case .consumed(let fact, let delivery):
      bytes.appendFact(fact)
      bytes.appendPayload([delivery.rawValue])
    case .abandoned(let fact, let reason):
      bytes.appendFact(fact)
      bytes.appendPayload(PromiseAbandoned(reason: reason).encoded)
    case nil:
      break
    }
    progress?.append(to: &bytes)
    return bytes
  }

  /// Reads the content of a snapshot record.
  ///
  /// - Parameter isExtended: Whether the first version of the format cannot represent it.
  init(
    id: PromiseID, content reader: inout PayloadReader, isExtended: Bool = false
  ) throws(PayloadDamage) {
    let flags = Flags(rawValue: try reader.integer())
    let known: Flags = [.resolved, .consumed, .abandoned]
    guard flags.isSubset(of: isExtended ? known.union(.progress) : known),
      !flags.isSuperset(of: [.consumed, .abandoned]),
      !flags.contains(.consumed) || flags.contains(.resolved)
    else { throw PayloadDamage(what: "the flags \(flags.rawValue) of a promise are unknown") }
    let created = try reader.fact()
    let creationPayload = try reader.payload()
    guard PromiseCreated.isWellFormed(creationPayload),
      PromiseCreated.isExtended(encoded: creationPayload) == isExtended
    else { throw PayloadDamage(what: "the payload of its creation is invalid") }
    let resolution = flags.contains(.resolved) ? try Resolution(reading: &reader) : nil
    var closing: Closing?
    if flags.contains(.consumed) {
      let fact = try reader.fact()
      closing = .consumed(fact, try reader.decoded(PromiseConsumed.self).delivery)
    } else if flags.contains(.abandoned) {
      let fact = try reader.fact()
      closing = .abandoned(fact, reason: try reader.decoded(PromiseAbandoned.self).reason)
    }
    self.init(
      id: id, created: created, creationPayload: creationPayload, resolution: resolution,
      closing: closing,
      progress: flags.contains(.progress) ? try WorkProgress(reading: &reader) : nil)
  }

  /// The time of the newest event applied.
  package var lastTime: Timestamp {
    closing?.fact.time ?? resolution?.fact.time ?? progress?.lastTime ?? created.time
  }

  /// Whether the id was derived from a key.
  package var isKeyed: Bool { PromiseCreated.hasKey(encoded: creationPayload) }
}

extension PromiseEntity.Resolution {
  fileprivate init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let fact = try reader.fact()
    let attachmentByteCount: UInt32 = try reader.integer()
    let payload = try reader.payload()
    guard PromiseResolved.isWellFormed(payload) else {
      throw PayloadDamage(what: "the payload of its resolution is invalid")
    }
    self.init(fact: fact, payload: payload, attachmentByteCount: Int(attachmentByteCount))
  }
}
