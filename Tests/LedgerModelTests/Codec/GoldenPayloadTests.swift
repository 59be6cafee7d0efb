import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Payloads as the file format has them, worked out by hand: once frozen, they never change.
@Suite(.timeLimit(.minutes(10))) struct GoldenPayloadTests {
  struct Golden<Payload: EventPayload & Hashable>: Sendable {
    let payload: Payload
    let bytes: [UInt8]

    init(_ payload: Payload, _ hex: String...) {
      self.payload = payload
      bytes = [UInt8](hex: hex.joined())
    }

    func check() throws {
      #expect(payload.encoded.hex == bytes.hex)
      #expect(try Payload(decoding: bytes) == payload)
    }

    /// Cuts bytes off, and adds one.
    func checkLengths(from first: Int = 0) {
      for count in first..<bytes.count {
        let error = #expect(throws: LedgerError.self, "\(count) bytes") {
          try Payload(decoding: Array(bytes[..<count]))
        }
        #expect(error?.code == .corrupt, "the first \(count) bytes")
      }
      #expect(throws: LedgerError.self) { try Payload(decoding: bytes + [0]) }
    }
  }

  // MARK: Ledger and sessions

  static let ledgerCreated = [
    Golden(LedgerCreated(formatVersion: 0), "00000000"),
    Golden(LedgerCreated(formatVersion: 1), "01000000"),
  ]

  static let sessionOpened = [
    Golden(
      SessionOpened(
        role: .app, processID: 4_711, instance: "main", host: "host", libraryVersion: "0.1.0"),
      "00 000000", "67120000", "0400 6d61696e", "0400 686f7374", "0500 302e312e30"),
    Golden(
      SessionOpened(
        role: .appExtension, processID: -1, instance: "w", host: "", libraryVersion: "é"),
      "01 000000", "ffffffff", "0100 77", "0000", "0200 c3a9"),
    Golden(
      SessionOpened(
        role: .operator, processID: 1, instance: "main", host: "h", libraryVersion: "1"),
      "02 000000", "01000000", "0400 6d61696e", "0100 68", "0100 31"),
  ]

  @Test func ledgerCreatedIsAsSpecified() throws {
    for golden in Self.ledgerCreated {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test func sessionOpenedIsAsSpecified() throws {
    for golden in Self.sessionOpened {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test func sessionFrozenIsEmpty() throws {
    let golden = Golden(SessionFrozen(), "")
    try golden.check()
    golden.checkLengths()
  }

  @Test func sessionUnfrozenIsAsSpecified() throws {
    let golden = Golden(SessionUnfrozen(processID: 4_712), "68120000")
    try golden.check()
    golden.checkLengths()
  }

  @Test(arguments: [(SessionClosed.Reason.closed, "00"), (.died, "01")])
  func sessionClosedIsAsSpecified(reason: SessionClosed.Reason, hex: String) throws {
    let golden = Golden(SessionClosed(reason: reason), hex)
    try golden.check()
    golden.checkLengths()
  }

  // MARK: Promises

  static let promiseCreated = [
    Golden(
      PromiseCreated(typeTag: "json:Int"), "00 00 0000 00000000", "0800 6a736f6e3a496e74"),
    Golden(
      PromiseCreated(
        typeTag: "json:Int", key: "order/7", label: "Bestellung 7, heiß", tags: ["a", "bc"],
        deadline: .at(1_790_000_000_123_456_789), idempotencyKey: "k1"),
      "0f 00 0200 00000000", "15cd4e2b845bd718", "0800 6a736f6e3a496e74", "0700 6f726465722f37",
      "1300 42657374656c6c756e6720372c20686569c39f", "0200 6b31", "0100 61", "0200 6263"),
    Golden(
      PromiseCreated(typeTag: "void", deadline: .at(-1), deadlineEffect: .fulfils),
      "01 01 0000 00000000", "ffffffffffffffff", "0400 766f6964"),
    Golden(PromiseCreated(typeTag: "t", label: ""), "04 00 0000 00000000", "0100 74", "0000"),
  ]

  static let promiseResolved = [
    Golden(
      PromiseResolved(
        outcome: .fulfilled, resolvedAt: .at(1_790_000_000_000_000_000), idempotencyKey: nil,
        content: [0x34, 0x32]),
      "00 00 000000000000", "0000f323845bd718", "3432"),
    Golden(
      PromiseResolved(
        outcome: .fulfilled, resolvedAt: .at(5), idempotencyKey: "k", content: [0x34, 0x32]),
      "01 00 000000000000", "0500000000000000", "0100 6b", "3432"),
    Golden(
      PromiseResolved(
        outcome: .fulfilled, resolvedAt: .at(5), idempotencyKey: "k", content: nil),
      "03 00 000000000000", "0500000000000000", "0100 6b"),
    Golden(
      PromiseResolved(
        outcome: .rejected, resolvedAt: .at(5), idempotencyKey: nil,
        content: [UInt8](
          hex: """
            03 00000000000000 fbffffffffffffff 0300 6e6574 07000000 6f66666c696e65 \
            0600 6a736f6e3a45 7b7d
            """)),
      "00 01 000000000000", "0500000000000000",
      "0300000000000000fbffffffffffffff03006e6574070000006f66666c696e6506006a736f6e3a457b7d"),
    Golden(
      PromiseResolved(
        outcome: .cancelled, resolvedAt: .at(5), idempotencyKey: nil, content: Array("nö".utf8)),
      "00 02 000000000000", "0500000000000000", "6ec3b6"),
    Golden(
      PromiseResolved(
        outcome: .timedOut, resolvedAt: .at(-1), idempotencyKey: nil, content: []),
      "00 03 000000000000", "ffffffffffffffff"),
  ]

  @Test func promiseCreatedIsAsSpecified() throws {
    for golden in Self.promiseCreated {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test func promiseResolvedIsAsSpecified() throws {
    for golden in Self.promiseResolved { try golden.check() }
  }

  @Test func promiseResolvedIsRefusedWhenItEndsBeforeItsContent() throws {
    for golden in Self.promiseResolved {
      let isKeyed = golden.payload.idempotencyKey != nil
      for count in 0..<(isKeyed ? 19 : 16) {
        #expect(throws: LedgerError.self, "\(count) bytes") {
          try PromiseResolved(decoding: Array(golden.bytes[..<count]))
        }
      }
    }
  }

  @Test(arguments: [(PromiseConsumed.Delivery.recordedBefore, "00"), (.recordedAfter, "01")])
  func promiseConsumedIsAsSpecified(delivery: PromiseConsumed.Delivery, hex: String) throws {
    let golden = Golden(PromiseConsumed(delivery: delivery), hex)
    try golden.check()
    golden.checkLengths()
  }

  @Test func promiseAbandonedIsAsSpecified() throws {
    let golden = Golden(PromiseAbandoned(reason: "not needed"), "0a00 6e6f74206e6565646564")
    try golden.check()
    golden.checkLengths()
  }
}
