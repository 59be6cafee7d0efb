import LedgerBytes

/// Copies the fields of a payload in order, and replaces those that may say something.
///
/// Nothing is copied unless it is asked for, so a field that is forgotten is damage, not a leak.
struct RedactingCursor {
  private var reader: PayloadReader
  private(set) var output: [UInt8] = []
  let redactor: Redactor

  init(_ bytes: [UInt8], _ redactor: Redactor) {
    reader = PayloadReader(bytes)
    self.redactor = redactor
  }

  // MARK: Keeping

  mutating func keep(_ count: Int) throws(PayloadDamage) {
    output += try reader.bytes(count)
  }

  /// Keeps a number, which tells what follows.
  mutating func keepInteger<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type = Integer.self
  ) throws(PayloadDamage) -> Integer {
    let number: Integer = try reader.integer()
    output.appendLittleEndian(number)
    return number
  }

  /// Keeps a text that code names, such as a kind or a type.
  @discardableResult
  mutating func keepText() throws(PayloadDamage) -> String {
    let text = try reader.text()
    output.appendText(text)
    return text
  }

  mutating func keepRest() { output += reader.rest() }

  // MARK: Replacing

  mutating func redactText() throws(PayloadDamage) {
    output.appendText(redactor.text(try reader.text()))
  }

  /// Replaces a text that tells things apart.
  mutating func redactIdentifier() throws(PayloadDamage) {
    output.appendText(redactor.identifier(try reader.text()))
  }

  mutating func redact(_ count: Int) throws(PayloadDamage) {
    output += redactor.bytes(try reader.bytes(count))
  }

  mutating func redactRest() { output += redactor.bytes(reader.rest()) }

  mutating func redactDigest() throws(PayloadDamage) {
    output += redactor.digest(try reader.bytes(32))
  }

  /// Leaves a text out, and clears the flag in the first byte that says it is there.
  mutating func dropText(flag: UInt8) throws(PayloadDamage) {
    _ = try reader.text()
    output[0] &= ~flag
  }

  func finish() throws(PayloadDamage) -> [UInt8] {
    try reader.finish()
    return output
  }
}

// MARK: - Parts of payloads

extension RedactingCursor {
  mutating func references() throws(PayloadDamage) {
    let promiseCount: UInt16 = try keepInteger()
    let handlerCount: UInt16 = try keepInteger()
    try keep(16 * (Int(promiseCount) + Int(handlerCount)))
  }

  mutating func arguments() throws(PayloadDamage) {
    let count: UInt16 = try keepInteger()
    for _ in 0..<count {
      try keepText()
      try keep(1)
      try keepText()
      try redact(Int(keepInteger(UInt32.self)))
    }
  }

  mutating func trigger() throws(PayloadDamage) {
    let kind: UInt8 = try keepInteger()
    try keep(1)
    let hasTime: UInt8 = try keepInteger()
    let promiseCount: UInt8 = try keepInteger()
    try keep(4)
    switch kind {
    case 1: try keep(8)
    case 2: try keep(16)
    case 3: try keep((hasTime == 1 ? 8 : 0) + 16 * Int(promiseCount))
    default: break
    }
  }

  mutating func options() throws(PayloadDamage) {
    let flags: UInt8 = try keepInteger()
    try keep(7)
    if flags & 4 != 0 { try keep(8) }
    if flags & 8 != 0 { try keep(8) }
    if flags & 2 != 0 { try keep(32) }
    if flags & 1 != 0 { try redactIdentifier() }
  }

  mutating func step() throws(PayloadDamage) {
    let number: UInt32 = try keepInteger()
    try keepText()
    if number == 0 { try redactIdentifier() }
  }

  /// An error that reaches up to the end.
  mutating func error() throws(PayloadDamage) {
    let flags: UInt8 = try keepInteger()
    try keep(7)
    if flags & 1 != 0 { try keep(8) }
    try keepText()
    try redact(Int(keepInteger(UInt32.self)))
    guard flags & 2 != 0 else { return }
    try keepText()
    redactRest()
  }

  mutating func effects() throws(PayloadDamage) {
    let count: UInt32 = try keepInteger()
    try keep(24 * Int(count))
  }

  /// What a payload ends with, or the attachment consists of.
  mutating func ending(_ ending: RedactedEnding) throws(PayloadDamage) {
    switch ending {
    case .arguments: try arguments()
    case .value: redactRest()
    case .kept: keepRest()
    case .error: try error()
    case .report(let hasValue):
      try effects()
      if hasValue { try keepText() }
      if hasValue { redactRest() } else { try error() }
    case .afterEffects(let last):
      try effects()
      try self.ending(last)
    }
  }
}

extension RedactingCursor {
  /// Copies the last field, or replaces all of it if it does not have its form: replay does not read it, so
  /// the event still counts.
  mutating func endingOrRest(_ ending: RedactedEnding) {
    var whole = self
    do throws(PayloadDamage) {
      try self.ending(ending)
      _ = try finish()
    } catch {
      whole.redactRest()
      self = whole
    }
  }
}

/// The last field of a payload, which may be the attachment.
indirect enum RedactedEnding {
  case arguments
  /// A value, or the text of a reason.
  case value
  /// A value of the ledger itself.
  case kept
  case error
  case report(hasValue: Bool)
  case afterEffects(RedactedEnding)
}
