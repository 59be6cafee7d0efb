import LedgerBytes

/// What both ends of a run carry: that of a call and that of the invalidation code.
public struct CallEnd: Sendable, Hashable {
  /// Which call it is.
  public let call: CallID
  /// Which run of the call it is, from 1.
  public let attempt: UInt32
  /// How it ended.
  public let outcome: CallOutcome
  /// What it came to, or `nil` if that is large and stored beside the event.
  public let report: CallReport?

  package init(call: CallID, attempt: UInt32, report: CallReport) {
    self.init(call: call, attempt: attempt, outcome: report.result.outcome, report: report)
  }

  private init(call: CallID, attempt: UInt32, outcome: CallOutcome, report: CallReport?) {
    self.call = call
    self.attempt = attempt
    self.outcome = outcome
    self.report = report
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let attachment = Flags(rawValue: 1)
  }

  fileprivate init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let flags = Flags(rawValue: try reader.integer())
    let number: UInt8 = try reader.integer()
    guard let outcome = CallOutcome(rawValue: number) else {
      throw PayloadDamage(what: "outcome \(number)")
    }
    try reader.skip(2)
    let attempt = try reader.attempt()
    self.init(
      call: try reader.identifier(), attempt: attempt, outcome: outcome,
      report: flags.contains(.attachment)
        ? nil : try CallReport(parsing: reader.rest(), outcome: outcome))
  }

  fileprivate var encoded: [UInt8] {
    let flags: Flags = report == nil ? .attachment : []
    var bytes: [UInt8] = [flags.rawValue, outcome.rawValue, 0, 0]
    bytes.appendLittleEndian(attempt)
    call.entityID.append(to: &bytes)
    if let report { bytes.append(contentsOf: report.encoded) }
    return bytes
  }

  fileprivate func detachingReport() -> CallEnd {
    CallEnd(call: call, attempt: attempt, outcome: outcome, report: nil)
  }
}

/// The payload of the event that a run of a handler ended.
public struct HandlerCallFinished: EventPayload, Hashable {
  public static let kind = EventKind.handlerCallFinished
  public static let version: UInt16 = 1

  /// Which run it was, and what it came to.
  public let end: CallEnd

  package init(_ end: CallEnd) {
    self.end = end
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    end = try Self.parse(payload) { reader throws(PayloadDamage) in
      try CallEnd(reading: &reader)
    }
  }

  public var encoded: [UInt8] { end.encoded }
}

/// The payload of the event that a run of a handler's invalidation code ended.
public struct HandlerInvalidationFinished: EventPayload, Hashable {
  public static let kind = EventKind.handlerInvalidationFinished
  public static let version: UInt16 = 1

  /// Which run it was, and what it came to.
  public let end: CallEnd

  package init(_ end: CallEnd) {
    self.end = end
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    end = try Self.parse(payload) { reader throws(PayloadDamage) in
      try CallEnd(reading: &reader)
    }
  }

  public var encoded: [UInt8] { end.encoded }
}

extension HandlerCallFinished: AttachablePayload {
  package var attachable: [UInt8]? { end.report?.encoded }
  package func detachingContent() -> HandlerCallFinished {
    HandlerCallFinished(end.detachingReport())
  }
}

extension HandlerInvalidationFinished: AttachablePayload {
  package var attachable: [UInt8]? { end.report?.encoded }

  package func detachingContent() -> HandlerInvalidationFinished {
    HandlerInvalidationFinished(end.detachingReport())
  }
}
