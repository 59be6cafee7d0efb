import LedgerBytes

extension HandlerCallFinished {
  /// The common content of the events that end a call or a run of invalidation code.
  public struct End: Sendable, Hashable {
    /// The call.
    public let call: CallID
    /// The number of the attempt, from 1.
    public let attempt: UInt32
    /// The outcome of the run.
    public let outcome: Outcome
    /// The report of the run, or `nil` if it is large and stored beside the event.
    public fileprivate(set) var report: Report?

    package init(call: CallID, attempt: UInt32, report: Report) {
      self.call = call
      self.attempt = attempt
      self.report = report
      outcome = report.result.outcome
    }

    private struct Flags: OptionSet {
      let rawValue: UInt8
      static let attachment = Flags(rawValue: 1)
    }

    fileprivate init(reading reader: inout PayloadReader) throws(PayloadDamage) {
      let flags = Flags(rawValue: try reader.integer())
      outcome = try reader.choice("outcome")
      try reader.skip(2)
      attempt = try reader.attempt()
      call = try reader.identifier()
      if !flags.contains(.attachment) {
        report = try Report(parsing: reader.rest(), outcome: outcome)
      }
    }

    /// Checks that a report can be decoded.
    fileprivate func check(_ content: [UInt8]) throws(LedgerError) {
      _ = try Report(decoding: content, outcome: outcome)
    }

    fileprivate var encoded: [UInt8] {
      let flags: Flags = report == nil ? .attachment : []
      var bytes: [UInt8] = [flags.rawValue, outcome.rawValue, 0, 0]
      bytes.appendLittleEndian(attempt)
      call.entityID.append(to: &bytes)
      if let report { bytes.append(contentsOf: report.encoded) }
      return bytes
    }
  }
}

/// The payload of the event that records the end of a run of a handler.
public struct HandlerCallFinished: EventPayload, Hashable {
  public static let kind = EventKind.handlerCallFinished

  /// The run and its result.
  public private(set) var end: End

  package init(_ end: End) {
    self.end = end
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    end = try Self.parse(payload, End.init(reading:))
  }

  public var encoded: [UInt8] { end.encoded }
}

/// The payload of the event that records the end of a run of a handler's invalidation code.
public struct HandlerInvalidationFinished: EventPayload, Hashable {
  public static let kind = EventKind.handlerInvalidationFinished

  /// The run and its result.
  public private(set) var end: HandlerCallFinished.End

  package init(_ end: HandlerCallFinished.End) {
    self.end = end
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    end = try Self.parse(payload, HandlerCallFinished.End.init(reading:))
  }

  public var encoded: [UInt8] { end.encoded }
}

extension HandlerCallFinished: AttachablePayload {
  package var attachable: [UInt8]? { end.report?.encoded }
  package mutating func detachContent() { end.report = nil }
  package func check(_ content: [UInt8]) throws(LedgerError) { try end.check(content) }
}

extension HandlerInvalidationFinished: AttachablePayload {
  package var attachable: [UInt8]? { end.report?.encoded }
  package mutating func detachContent() { end.report = nil }
  package func check(_ content: [UInt8]) throws(LedgerError) { try end.check(content) }
}
