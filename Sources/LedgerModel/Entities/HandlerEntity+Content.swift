import LedgerBytes

extension HandlerEntity {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let key = Flags(rawValue: 1)
    static let label = Flags(rawValue: 2)
    static let spent = Flags(rawValue: 4)
    static let finish = Flags(rawValue: 8)
    static let invalidation = Flags(rawValue: 16)
    static let all = Flags(rawValue: 31)
  }

  /// The content of the snapshot record; see the article *File format*.
  package var content: [UInt8] {
    var flags: Flags = []
    if key != nil { flags.insert(.key) }
    if label != nil { flags.insert(.label) }
    if isSpent { flags.insert(.spent) }
    if lastFinish != nil { flags.insert(.finish) }
    if invalidation != nil { flags.insert(.invalidation) }
    var bytes: [UInt8] = [flags.rawValue, description.repetition.rawValue]
    bytes.appendLittleEndian(UInt16(clamping: scopes.count))
    bytes.appendLittleEndian(UInt32(clamping: openCalls.count))
    bytes.appendFact(created)
    bytes.appendLittleEndian(lastPosition.rawValue)
    bytes.appendLittleEndian(lastTime.nanosecondsSinceEpoch)
    bytes.appendText(kind)
    if let key { bytes.appendText(key) }
    if let label { bytes.appendText(label) }
    for scope in scopes { bytes.appendText(scope) }
    bound.append(to: &bytes)
    for call in openCalls.values.sorted(by: { $0.id < $1.id }) { call.append(to: &bytes) }
    lastFinish?.append(to: &bytes)
    invalidation?.append(to: &bytes)
    return bytes
  }

  /// Reads the content of a snapshot record.
  init(id: HandlerID, content reader: inout PayloadReader) throws(PayloadDamage) {
    let flags = Flags(rawValue: try reader.integer())
    guard flags.isSubset(of: .all) else {
      throw PayloadDamage(what: "the flags \(flags.rawValue) of a handler are unknown")
    }
    let repetition: HandlerRepetition = try reader.choice("repetition")
    let scopeCount: UInt16 = try reader.integer()
    let callCount: UInt32 = try reader.integer()
    let created = try reader.fact()
    let lastPosition = try reader.position()
    let lastTime = try reader.timestamp()
    var description = HandlerDescription(
      kind: try reader.text(), repetition: repetition)
    if flags.contains(.key) { description.key = try reader.text() }
    if flags.contains(.label) { description.label = try reader.text() }
    for _ in 0..<scopeCount { description.scopes.append(try reader.text()) }
    let bound = try BoundArguments(reading: &reader)
    var openCalls: [CallID: OpenCall] = [:]
    var lastID: CallID?
    for _ in 0..<callCount {
      let call = try OpenCall(reading: &reader)
      if let lastID, lastID >= call.id {
        throw PayloadDamage(what: "the calls are not in the order of their ids")
      }
      lastID = call.id
      openCalls[call.id] = call
    }
    self.init(
      id: id, created: created, description: description, bound: bound, openCalls: openCalls,
      lastFinish: flags.contains(.finish) ? try Finish(reading: &reader) : nil,
      invalidation: flags.contains(.invalidation) ? try Invalidation(reading: &reader) : nil,
      isSpent: flags.contains(.spent), lastPosition: lastPosition, lastTime: lastTime)
  }
}

extension HandlerEntity.Finish {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.appendFact(fact)
    call.entityID.append(to: &bytes)
    bytes.append(contentsOf: [purpose.rawValue, outcome.rawValue, 0, 0])
    bytes.appendLittleEndian(attempt)
    report.append(to: &bytes, inline: \.encoded)
  }

  fileprivate init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let fact = try reader.fact()
    let call: CallID = try reader.identifier()
    let purpose: HandlerCallPurpose = try reader.choice("purpose")
    let outcome: HandlerCallFinished.Outcome = try reader.choice("outcome")
    try reader.skip(2)
    self.init(
      fact: fact, call: call, purpose: purpose, attempt: try reader.attempt(), outcome: outcome,
      report: try ReportReference(reading: &reader) { (bytes) throws(PayloadDamage) in
        try HandlerCallFinished.Report(parsing: bytes, outcome: outcome)
      })
  }
}

extension HandlerEntity.Invalidation {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.appendFact(fact)
    bytes.appendLittleEndian(cause.rawValue)
    call.entityID.append(to: &bytes)
    bytes.append(runsCode ? 1 : 0)
    bytes.appendText(reason)
  }

  fileprivate init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let fact = try reader.fact()
    let cause = try reader.position()
    let call: CallID = try reader.identifier()
    let runsCode: UInt8 = try reader.integer()
    guard runsCode <= 1 else {
      throw PayloadDamage(what: "the flags of an invalidation are unknown")
    }
    self.init(
      fact: fact, cause: cause, call: call, runsCode: runsCode == 1, reason: try reader.text())
  }
}
