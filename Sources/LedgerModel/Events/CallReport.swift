import LedgerBytes

/// How a run of a handler ended.
public enum CallOutcome: UInt8, Sendable, Hashable, CaseIterable {
  /// Its code returned a value.
  case returned = 0
  /// Its code threw an error, or an effect that it required was refused.
  case failed = 1
}

/// What a run of a handler came to.
public enum CallResult: Sendable, Hashable {
  /// Its code returned a value, encoded, with the name of its type.
  case returned(typeTag: String, bytes: [UInt8])
  /// Its code threw an error, or an effect that it required was refused.
  case failed(StoredError)

  /// Which of the two it is.
  public var outcome: CallOutcome {
    switch self {
    case .returned: .returned
    case .failed: .failed
    }
  }
}

/// Everything that a finished run of a handler tells.
public struct CallReport: Sendable, Hashable {
  /// The effects in the order in which the code made them, and what became of each.
  public let effects: [DecidedEffect]
  /// What the code returned or threw.
  public let result: CallResult

  package init(effects: [DecidedEffect] = [], result: CallResult) {
    self.effects = effects
    self.result = result
  }

  /// Decodes the report that an event has as its attachment.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the bytes are not a report.
  public init(decoding bytes: [UInt8], outcome: CallOutcome) throws(LedgerError) {
    do throws(PayloadDamage) {
      try self.init(parsing: bytes, outcome: outcome)
    } catch {
      throw LedgerError(.corrupt, "A stored report of a call is damaged: \(error.what).")
    }
  }

  init(parsing bytes: [UInt8], outcome: CallOutcome) throws(PayloadDamage) {
    var reader = PayloadReader(bytes)
    let count: UInt32 = try reader.integer()
    var effects: [DecidedEffect] = []
    for _ in 0..<count { effects.append(try reader.decidedEffect()) }
    self.effects = effects
    switch outcome {
    case .returned:
      result = .returned(typeTag: try reader.text(), bytes: reader.rest())
    case .failed:
      do throws(LedgerError) {
        result = .failed(try StoredError(decoding: reader.rest()))
      } catch {
        throw PayloadDamage(what: error.message)
      }
    }
  }

  /// The bytes that an event carries; see the article *File format*.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(UInt32(clamping: effects.count))
    for effect in effects {
      bytes.append(contentsOf: [effect.effect.rawValue, effect.verdict.rawValue, 0, 0, 0, 0, 0, 0])
      effect.subject.append(to: &bytes)
    }
    switch result {
    case .returned(let typeTag, let value):
      bytes.appendText(typeTag)
      bytes.append(contentsOf: value)
    case .failed(let error):
      bytes.append(contentsOf: error.encoded)
    }
    return bytes
  }
}

extension PayloadReader {
  fileprivate mutating func decidedEffect() throws(PayloadDamage) -> DecidedEffect {
    let effect: EffectKind = try choice("effect")
    let verdict: EffectVerdict = try choice("verdict")
    try skip(6)
    return DecidedEffect(effect, verdict, on: try entityID())
  }
}
