import LedgerBytes

extension WorkProgress {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let start = Flags(rawValue: 1)
    static let release = Flags(rawValue: 2)
    static let cancelRequest = Flags(rawValue: 4)
    static let parking = Flags(rawValue: 8)
    static let trigger = Flags(rawValue: 16)
    static let options = Flags(rawValue: 32)
    static let arguments = Flags(rawValue: 64)
    static let steps = Flags(rawValue: 128)
  }

  private struct FurtherFlags: OptionSet {
    let rawValue: UInt8
    static let hasWaited = FurtherFlags(rawValue: 1)
    static let awaited = FurtherFlags(rawValue: 2)
    static let all = FurtherFlags(rawValue: 3)
  }

  /// Appends the part of a promise's snapshot record; see the article *File format*.
  func append(to bytes: inout [UInt8]) {
    var flags: Flags = []
    if start != nil { flags.insert(.start) }
    if release != nil { flags.insert(.release) }
    if cancelRequest != nil { flags.insert(.cancelRequest) }
    if parking != nil { flags.insert(.parking) }
    if trigger != nil { flags.insert(.trigger) }
    if options != nil { flags.insert(.options) }
    if arguments != nil { flags.insert(.arguments) }
    if !steps.isEmpty || !stepFailures.isEmpty { flags.insert(.steps) }
    var further: FurtherFlags = []
    if hasWaited { further.insert(.hasWaited) }
    if !awaited.isEmpty { further.insert(.awaited) }
    bytes += [flags.rawValue, further.rawValue, 0, 0]
    bytes.appendLittleEndian(attempt)
    bytes.appendLittleEndian(failureCount)
    bytes.appendLittleEndian(deathCount)
    bytes.appendLittleEndian(UInt32(clamping: creationAttachmentByteCount))
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(lastPosition.rawValue)
    bytes.appendLittleEndian(lastTime.nanosecondsSinceEpoch)
    if let start { bytes.appendFact(start) }
    if let release {
      bytes.appendFact(release.fact)
      bytes.appendPayload(release.event.encoded)
    }
    if let cancelRequest {
      bytes.appendFact(cancelRequest.fact)
      bytes.appendText(cancelRequest.reason)
    }
    if let parking { bytes.appendFact(parking) }
    trigger?.append(to: &bytes)
    options?.append(to: &bytes)
    arguments?.append(to: &bytes)
    if !awaited.isEmpty { bytes.append(promises: awaited) }
    guard flags.contains(.steps) else { return }
    bytes.appendLittleEndian(UInt32(clamping: steps.count))
    for step in steps { step.append(to: &bytes) }
    bytes.appendLittleEndian(UInt32(clamping: stepFailures.count))
    for failures in stepFailures { failures.append(to: &bytes) }
  }

  private static func steps(
    _ reader: inout PayloadReader
  ) throws(PayloadDamage) -> [WorkStep] {
    let count: UInt32 = try reader.integer()
    var steps: [WorkStep] = []
    for _ in 0..<count { steps.append(try WorkStep(reading: &reader)) }
    return steps
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let flags = Flags(rawValue: try reader.integer())
    let further = FurtherFlags(rawValue: try reader.integer())
    guard further.isSubset(of: .all) else {
      throw PayloadDamage(what: "the flags \(further.rawValue) of work are unknown")
    }
    try reader.skip(2)
    let attempt: UInt32 = try reader.integer()
    guard attempt < .max else {
      throw PayloadDamage(what: "no attempt can follow number \(attempt)")
    }
    let failureCount: UInt32 = try reader.integer()
    let deathCount: UInt32 = try reader.integer()
    let attachmentByteCount: UInt32 = try reader.integer()
    try reader.skip(4)
    let lastPosition = try reader.position()
    let lastTime = try reader.timestamp()
    let start = flags.contains(.start) ? try reader.fact() : nil
    var release: Release?
    if flags.contains(.release) {
      let fact = try reader.fact()
      release = Release(fact: fact, event: try reader.decoded(WorkReleased.self))
    }
    var cancelRequest: CancelRequest?
    if flags.contains(.cancelRequest) {
      let fact = try reader.fact()
      cancelRequest = CancelRequest(fact: fact, reason: try reader.text())
    }
    self.init(
      attempt: attempt, start: start, release: release, failureCount: failureCount,
      deathCount: deathCount, cancelRequest: cancelRequest,
      hasWaited: further.contains(.hasWaited),
      parking: flags.contains(.parking) ? try reader.fact() : nil,
      trigger: flags.contains(.trigger) ? try WorkTrigger(reading: &reader) : nil,
      options: flags.contains(.options) ? try WorkOptions(reading: &reader) : nil,
      arguments: flags.contains(.arguments) ? try BoundArguments(reading: &reader) : nil,
      awaited: further.contains(.awaited) ? try reader.promises() : [],
      steps: flags.contains(.steps) ? try Self.steps(&reader) : [],
      stepFailures: flags.contains(.steps) ? try reader.stepFailures() : [],
      creationAttachmentByteCount: Int(attachmentByteCount),
      lastPosition: lastPosition, lastTime: lastTime)
  }
}
