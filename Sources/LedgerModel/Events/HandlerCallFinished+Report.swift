import LedgerBytes

extension HandlerCallFinished {
  /// The way in which a run of a handler ended.
  public enum Outcome: UInt8, Sendable, Hashable, CaseIterable {
    /// Its code returned a value.
    case returned = 0
    /// Its code threw an error, or an effect that the code required was refused.
    case failed = 1
  }

  /// The result of a run of a handler.
  public enum Result: Sendable, Hashable {
    /// The code returned a value. The associated values are the name of its type and the encoded value.
    case returned(typeTag: String, bytes: [UInt8])
    /// Its code threw an error, or an effect that the code required was refused.
    case failed(StoredError)

    /// The result's outcome, without its value or error.
    public var outcome: Outcome {
      switch self {
      case .returned: .returned
      case .failed: .failed
      }
    }
  }

  /// The complete report of a finished run of a handler.
  public struct Report: Sendable, Hashable {
    /// The effects in the order in which the code requested them, each with its verdict.
    public let effects: [DecidedEffect]
    /// The value that the code returned, or the error that it threw.
    public let result: Result

    package init(effects: [DecidedEffect] = [], result: Result) {
      self.effects = effects
      self.result = result
    }

    /// Decodes the report that is an event's attachment.
    ///
    /// - Throws: ``LedgerError/Code/corrupt`` if the bytes are not a valid report.
    public init(decoding bytes: [UInt8], outcome: Outcome) throws(LedgerError) {
      do throws(PayloadDamage) {
        try self.init(parsing: bytes, outcome: outcome)
      } catch {
        throw LedgerError(.corrupt, "A stored report of a call is damaged: \(error.what).")
      }
    }

    init(parsing bytes: [UInt8], outcome: Outcome) throws(PayloadDamage) {
      var reader = PayloadReader(bytes)
      effects = try reader.decidedEffects()
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
      bytes.appendEffects(effects)
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
}
