import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Payloads of handler events as the file format has them, worked out by hand.
@Suite(.timeLimit(.minutes(10))) struct GoldenHandlerPayloadTests {
  typealias Golden = GoldenPayloadTests.Golden

  static let call = CallID(
    entityID: EntityID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF))
  static let promise = PromiseID(
    entityID: EntityID(high: 0xA0A1_A2A3_A4A5_A6A7, low: 0xA8A9_AAAB_ACAD_AEAF))
  static let handler = HandlerID(
    entityID: EntityID(high: 0xB0B1_B2B3_B4B5_B6B7, low: 0xB8B9_BABB_BCBD_BEBF))
  static let callHex = "00112233445566778899aabbccddeeff"
  static let promiseHex = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
  static let handlerHex = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"

  static let references = HandlerReferences(promises: [promise], handlers: [handler])
  static let referencesHex = "0100 0100" + promiseHex + handlerHex
  static func arguments() throws -> StoredArguments {
    try StoredArguments([
      StoredArgument(name: "b", typeTag: "int", payload: [0x34, 0x32]), .erasing("a"),
    ])
  }
  static let argumentsHex =
    "0200" + "0100 61 01 0000 00000000" + "0100 62 00 0300 696e74 02000000 3432"

  @Test func handlerCreatedIsAsSpecified() throws {
    let goldens = [
      Golden(
        HandlerCreated(handlerKind: "k", arguments: StoredArguments.none),
        "00 00 0000 00000000", "0100 6b", "0000 0000", "0000"),
      Golden(
        HandlerCreated(
          handlerKind: "k", repetition: .repeating, key: "iq-1", label: "é", scopes: ["a", "bc"],
          references: Self.references, arguments: try Self.arguments()),
        "06 01 0200 00000000", "0100 6b", "0400 69712d31", "0200 c3a9", "0100 61", "0200 6263",
        Self.referencesHex, Self.argumentsHex),
      Golden(
        HandlerCreated(
          handlerKind: "k", repetition: .oneShot, key: "x", label: nil, scopes: [],
          references: Self.references, arguments: nil),
        "03 00 0000 00000000", "0100 6b", "0100 78", Self.referencesHex),
    ]
    for golden in goldens {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test func handlerReboundIsAsSpecified() throws {
    let goldens = [
      Golden(
        HandlerRebound(
          mode: .replaced, references: Self.references, arguments: try Self.arguments()),
        "00 00 000000000000", Self.referencesHex, Self.argumentsHex),
      Golden(
        HandlerRebound(mode: .merged, references: .none, arguments: nil),
        "01 01 000000000000", "0000 0000"),
    ]
    for golden in goldens {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test func handlerCallStartedIsAsSpecified() throws {
    let goldens = [
      Golden(
        HandlerCallStarted(
          call: Self.call, attempt: 1, references: Self.references,
          arguments: try Self.arguments()),
        "00 000000 01000000", Self.callHex, Self.referencesHex, Self.argumentsHex),
      Golden(
        HandlerCallStarted(
          call: Self.call, attempt: 258, references: .none, arguments: StoredArguments.none),
        "00 000000 02010000", Self.callHex, "0000 0000", "0000"),
      Golden(
        HandlerCallStarted(call: Self.call, attempt: 1, references: .none, arguments: nil),
        "01 000000 01000000", Self.callHex, "0000 0000"),
    ]
    for golden in goldens {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test(arguments: [
    (HandlerCallReleased.Reason.frozen, "00"), (.closed, "01"), (.died, "02"), (.cancelled, "03"),
    (.notRunnable, "04"),
  ])
  func handlerCallReleasedIsAsSpecified(reason: HandlerCallReleased.Reason, hex: String) throws {
    let golden = Golden(
      HandlerCallReleased(call: Self.call, attempt: 3, reason: reason),
      hex, "000000 03000000", Self.callHex)
    try golden.check()
    golden.checkLengths()
  }

  @Test func handlerInvalidatedIsAsSpecified() throws {
    let goldens = [
      Golden(
        HandlerInvalidated(
          call: Self.call, runsCode: true, reason: "gone", references: Self.references,
          arguments: try Self.arguments()),
        "02 00000000000000", Self.callHex, "0400 676f6e65", Self.referencesHex,
        Self.argumentsHex),
      Golden(
        HandlerInvalidated(
          call: Self.call, runsCode: false, reason: "", references: .none,
          arguments: StoredArguments.none),
        "00 00000000000000", Self.callHex, "0000", "0000 0000", "0000"),
      Golden(
        HandlerInvalidated(
          call: Self.call, runsCode: true, reason: "", references: .none, arguments: nil),
        "03 00000000000000", Self.callHex, "0000", "0000 0000"),
    ]
    for golden in goldens {
      try golden.check()
      golden.checkLengths()
    }
  }

  // MARK: Ends

  /// The end of a run, its bytes, and how many of them a decoder must have at least.
  static func ends() throws -> [(end: HandlerCallFinished.End, hex: String, neededByteCount: Int?)]
  {
    let effects = [
      DecidedEffect(.fulfillPromise, .done, on: promise.entityID),
      DecidedEffect(.callHandler, .alreadyRunning, on: handler.entityID),
    ]
    let effectsHex =
      "02000000" + "00 00 000000000000" + promiseHex + "05 07 000000000000" + handlerHex
    let returned = HandlerCallFinished.End(
      call: call, attempt: 2,
      report: HandlerCallFinished.Report(
        effects: effects, result: .returned(typeTag: "int", bytes: [0x34, 0x32])))
    let failed = HandlerCallFinished.End(
      call: call, attempt: 1,
      report: HandlerCallFinished.Report(
        result: .failed(StoredError(domain: "net", code: -5, message: "off"))))
    let void = HandlerCallFinished.End(
      call: call, attempt: 1, report: HandlerCallFinished.Report(result: .void))
    let head = "00 00 0000 01000000" + callHex
    return [
      (void, head + "00000000" + "0400 766f6964", 34),
      (returned, "00 00 0000 02000000" + callHex + effectsHex + "0300 696e74 3432", 81),
      (
        failed,
        "00 01 0000 01000000" + callHex + "00000000"
          + "01 00000000000000 fbffffffffffffff 0300 6e6574 03000000 6f6666", nil
      ),
      (returned.detached, "01 00 0000 02000000" + callHex, nil),
      (failed.detached, "01 01 0000 01000000" + callHex, nil),
    ]
  }

  @Test func handlerCallFinishedIsAsSpecified() throws {
    for (end, hex, needed) in try Self.ends() {
      try check(Golden(HandlerCallFinished(end), hex), needed)
    }
  }

  @Test func handlerInvalidationFinishedIsAsSpecified() throws {
    for (end, hex, needed) in try Self.ends() {
      try check(Golden(HandlerInvalidationFinished(end), hex), needed)
    }
  }

  private func check<Payload: EventPayload & Hashable>(
    _ golden: GoldenPayloadTests.Golden<Payload>, _ neededByteCount: Int?
  ) throws {
    try golden.check()
    // A value extends to the end, so only the bytes before it can be missed.
    guard let neededByteCount else { return golden.checkLengths() }
    for count in 0..<neededByteCount {
      #expect(throws: LedgerError.self, "\(count) bytes") {
        try Payload(decoding: Array(golden.bytes[..<count]))
      }
    }
  }

  @Test func theNumbersOfEffectsAndVerdictsAreAsSpecified() {
    let effects = [
      "fulfillPromise", "rejectPromise", "cancelPromise", "createPromise", "createHandler",
      "callHandler", "invalidateHandler",
    ]
    let verdicts = [
      "done", "deduplicated", "alreadyResolved", "notFound", "abandoned", "exists",
      "typeMismatch", "alreadyRunning", "finished", "invalidated", "unregistered", "blocked",
    ]
    #expect(
      effects.indices.map { "\(DecidedEffect.Kind(rawValue: UInt8($0)).map { "\($0)" } ?? "")" }
        == effects)
    #expect(
      verdicts.indices.map { "\(DecidedEffect.Verdict(rawValue: UInt8($0)).map { "\($0)" } ?? "")" }
        == verdicts)
    #expect(DecidedEffect.Kind.allCases.count == effects.count)
    #expect(DecidedEffect.Verdict.allCases.count == verdicts.count)
  }

  @Test func theIdOfAHandlerFollowsFromItsKey() throws {
    // printf 'handler\0iq-1' | sha256sum, then version 8 and variant 2.
    #expect(try HandlerKey("iq-1").handlerID.description == "8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f")
  }
}

extension HandlerCallFinished.End {
  /// The same end, whose report is stored beside the event.
  fileprivate var detached: HandlerCallFinished.End {
    HandlerCallFinished(self).detachingContent().end
  }
}
