import LedgerBytes

extension OpenCall {
  func append(to bytes: inout [UInt8]) {
    id.entityID.append(to: &bytes)
    bytes.append(contentsOf: [
      purpose.rawValue, isReleased ? 1 : 0, release?.reason.rawValue ?? 0, 0,
    ])
    bytes.appendLittleEndian(attempt)
    bytes.appendFact(firstStart)
    bytes.appendFact(newestStart)
    if let release { bytes.appendFact(release.fact) }
    references.append(to: &bytes)
    arguments.append(to: &bytes, inline: \.encoded)
    bound.append(to: &bytes)
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let id: CallID = try reader.identifier()
    let purpose: HandlerCallPurpose = try reader.choice("purpose")
    let isReleased: UInt8 = try reader.integer()
    let number: UInt8 = try reader.integer()
    guard isReleased <= 1, let reason = HandlerCallReleased.Reason(rawValue: number) else {
      throw PayloadDamage(what: "the release \(number) of a call is unknown")
    }
    try reader.skip(1)
    let attempt = try reader.attempt()
    let firstStart = try reader.fact()
    let newestStart = try reader.fact()
    let release = isReleased == 1 ? Release(reason: reason, fact: try reader.fact()) : nil
    let references = try HandlerReferences(reading: &reader)
    self.init(
      id: id, purpose: purpose, firstStart: firstStart,
      arguments: try ArgumentsReference(reading: &reader), references: references,
      bound: try BoundArguments(reading: &reader), attempt: attempt, newestStart: newestStart,
      release: release)
  }
}

extension BoundArguments {
  func append(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(position.rawValue)
    references.append(to: &bytes)
    arguments.append(to: &bytes, inline: \.encoded)
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let position = try reader.position()
    let references = try HandlerReferences(reading: &reader)
    self.init(
      arguments: try ArgumentsReference(reading: &reader), references: references,
      position: position)
  }
}

extension StoredReference {
  func append(to bytes: inout [UInt8], inline: (Value) -> [UInt8]) {
    switch self {
    case .inline(let value):
      let encoded = inline(value)
      bytes.append(0)
      bytes.appendLittleEndian(UInt32(clamping: encoded.count))
      bytes.append(contentsOf: encoded)
    case .attached(let position, let byteCount):
      bytes.append(1)
      bytes.appendLittleEndian(position.rawValue)
      bytes.appendLittleEndian(UInt32(clamping: byteCount))
    }
  }

  init(
    reading reader: inout PayloadReader,
    inline: ([UInt8]) throws(PayloadDamage) -> Value
  ) throws(PayloadDamage) {
    let number: UInt8 = try reader.integer()
    switch number {
    case 0:
      let byteCount: UInt32 = try reader.integer()
      self = .inline(try inline(try reader.bytes(Int(byteCount))))
    case 1:
      let position = try reader.position()
      let byteCount: UInt32 = try reader.integer()
      self = .attached(position, byteCount: Int(byteCount))
    default:
      throw PayloadDamage(what: "the place \(number) of a value is unknown")
    }
  }
}

extension ArgumentsReference {
  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    try self.init(reading: &reader) { (bytes) throws(PayloadDamage) in
      try StoredArguments(parsing: bytes)
    }
  }
}
