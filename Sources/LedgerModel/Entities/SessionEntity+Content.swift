import LedgerBytes

extension SessionEntity {
  /// The content of the snapshot record; see the article *File format*.
  package var content: [UInt8] {
    var bytes: [UInt8] = []
    switch status {
    case .open: bytes.append(contentsOf: [0, 0])
    case .frozen: bytes.append(contentsOf: [1, 0])
    case .ended(let reason): bytes.append(contentsOf: [2, reason.rawValue])
    }
    bytes.appendLittleEndian(processID)
    bytes.appendLittleEndian(openedAt.nanosecondsSinceEpoch)
    bytes.appendLittleEndian(lastPosition.rawValue)
    bytes.appendLittleEndian(lastTime.nanosecondsSinceEpoch)
    bytes.appendPayload(opened.encoded)
    return bytes
  }

  /// Reads the content of a snapshot record.
  init(id: SessionID, content reader: inout PayloadReader) throws(PayloadDamage) {
    let status: UInt8 = try reader.integer()
    let reason: UInt8 = try reader.integer()
    let processID: Int32 = try reader.integer()
    let openedAt = try reader.timestamp()
    let lastPosition = try reader.position()
    let lastTime = try reader.timestamp()
    self.init(
      id: id, opened: try reader.decoded(SessionOpened.self), openedAt: openedAt,
      processID: processID, status: try SessionRecord.Status(number: status, reason: reason),
      lastPosition: lastPosition, lastTime: lastTime)
  }
}

extension SessionRecord.Status {
  fileprivate init(number: UInt8, reason: UInt8) throws(PayloadDamage) {
    switch (number, SessionClosed.Reason(rawValue: reason)) {
    case (0, .closed): self = .open
    case (1, .closed): self = .frozen
    case (2, let reason?): self = .ended(reason)
    default: throw PayloadDamage(what: "the status \(number) of a session is unknown")
    }
  }
}
