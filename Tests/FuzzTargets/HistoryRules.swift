import LedgerBytes
import LedgerModel

/// The reducer takes any events: those that do not fit block their subject and change nothing. What it made of
/// the events before any position can be folded there, and further events then lead to the same entity.
enum HistoryRules {
  /// The subjects of events: few, so that many events meet in one. Those of promises, handlers and sessions
  /// differ, as the ids of a ledger do.
  static let subjects = (0..<12).map { number in
    EntityID(high: 0x0190_0000_0000_7000 | UInt64(number) << 16, low: 0x8000_0000_0000_0001)
  }

  private static func subject(_ number: UInt8, of kind: EventKind) -> EntityID {
    let family =
      switch kind.subject {
      case .promise: 0
      case .handler: 1
      case .session: 2
      case .ledger, nil: 3
      }
    return subjects[family * 3 + Int(number % 3)]
  }

  /// The shortest form of an event: its kind, its version, its subject, whether it has an attachment, the length
  /// of its payload, and its payload.
  static func event(_ input: inout FuzzBytes, at time: Int) -> [UInt8] {
    let kinds = EventKind.all
    let kind = kinds[Int(input.byte()) % kinds.count]
    let subject = subject(input.byte(), of: kind)
    let form = input.byte()
    let payload = input.bytes(input.number() % 4_000)
    let length = (EventView.headerByteCount + payload.count + 7) & ~7
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    bytes.appendLittleEndian(UInt16(length))
    bytes.appendLittleEndian(kind.rawValue)
    bytes.appendLittleEndian(UInt16(form & 3))
    bytes.appendLittleEndian(UInt16(payload.count))
    bytes.appendLittleEndian(UInt32(form & 4 == 0 ? 0 : 5_000))
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(Int64(time))
    bytes.appendLittleEndian(UInt64(0))
    subject.append(to: &bytes)
    bytes += payload
    while bytes.count < length { bytes.append(0) }
    return bytes
  }

  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    var input = FuzzBytes(bytes)
    // The position at which everything is folded.
    let cut = Int(input.byte() % 32)
    var state = LedgerState()
    var folded: [EntityID: LedgerEntity] = [:]
    var count = 0
    while !input.isAtEnd, count < 64 {
      if count == cut { folded = try fold(state) }
      count += 1
      let record = event(&input, at: count)
      let event = EventView(
        bytes: record.span, position: Position(rawValue: UInt64(count)),
        session: SessionID(entityID: subjects[6 + count % 2]))
      let before = state.overlaid(event.subject)
      do throws(LedgerError) {
        try state.apply(event)
      } catch {
        throw FuzzFinding("the reducer refuses an event: \(error.message)")
      }
      let after = state.overlaid(event.subject)
      try FuzzFinding.unless(
        after == before || after?.lastPosition == event.position,
        "a refused \(event.kind) changed its subject")
      if let entity = folded[event.subject] {
        folded[event.subject] = entity.applying(event)
      }
    }
    try compare(folded, state)
    _ = try fold(state)
  }

  /// Writes all entities as records, and reads these again.
  private static func fold(_ state: LedgerState) throws(FuzzFinding) -> [EntityID: LedgerEntity] {
    var folded: [EntityID: LedgerEntity] = [:]
    for entity in state.overlaid {
      try RecordRules.check(entity)
      folded[entity.id] = try? LedgerEntity(
        type: entity.type, id: entity.id, content: entity.content)
    }
    return folded
  }

  private static func compare(
    _ folded: [EntityID: LedgerEntity], _ state: LedgerState
  ) throws(FuzzFinding) {
    for entity in folded.values {
      try FuzzFinding.unless(
        state.overlaid(entity.id) == entity, "\(entity.type) differs once it was folded")
    }
  }
}

extension LedgerEntity {
  /// The entity after an event of its own; the same if the event does not fit.
  fileprivate func applying(_ event: borrowing EventView) -> LedgerEntity {
    do throws(ReplayProblem) {
      switch (self, event.kind.subject) {
      case (.promise(var promise), .promise):
        try promise.apply(event)
        return .promise(promise)
      case (.handler(var handler), .handler):
        try handler.apply(event)
        return .handler(handler)
      case (.session(var session), .session):
        try session.apply(event)
        return .session(session)
      default: return self
      }
    } catch {
      return self
    }
  }
}
