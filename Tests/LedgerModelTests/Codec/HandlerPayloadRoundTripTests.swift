import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct HandlerPayloadRoundTripTests {
  /// A random payload of each kind.
  static func payloads(seed: UInt64) -> [any EventPayload & Hashable] {
    var random = SeededGenerator(seed: seed)
    func text(_ random: inout SeededGenerator) -> String? {
      random.chance(1, of: 2) ? random.text(Int.random(in: 0...20, using: &random)) : nil
    }
    func arguments(_ random: inout SeededGenerator) -> StoredArguments? {
      random.chance(1, of: 4) ? nil : random.arguments(byteCount: 40)
    }
    let call = CallID.numbered(Int(seed))
    let attempt = UInt32.random(in: 1...(.max), using: &random)
    let end = end(call, attempt, &random)
    return [
      HandlerCreated(
        handlerKind: random.text(9), repetition: random.chance(1, of: 2) ? .oneShot : .repeating,
        key: text(&random), label: text(&random),
        scopes: (0..<Int.random(in: 0...16, using: &random)).map { _ in random.text(4) },
        references: random.references(), arguments: arguments(&random)),
      HandlerRebound(
        mode: random.chance(1, of: 2) ? .replaced : .merged, references: random.references(),
        arguments: arguments(&random)),
      HandlerCallStarted(
        call: call, attempt: attempt, references: random.references(),
        arguments: arguments(&random)),
      HandlerCallReleased(
        call: call, attempt: attempt,
        reason: HandlerCallReleased.Reason.allCases.randomElement(using: &random) ?? .died),
      HandlerCallFinished(end), HandlerCallFinished(end).detachingContent(),
      HandlerInvalidationFinished(end), HandlerInvalidationFinished(end).detachingContent(),
      HandlerInvalidated(
        call: call, runsCode: random.chance(1, of: 2), reason: random.text(12),
        references: random.references(), arguments: arguments(&random)),
    ]
  }

  private static func end(
    _ call: CallID, _ attempt: UInt32, _ random: inout SeededGenerator
  ) -> HandlerCallFinished.End {
    let effects = (0..<Int.random(in: 0...5, using: &random)).map { number in
      DecidedEffect(
        DecidedEffect.Kind.allCases.randomElement(using: &random) ?? .createPromise,
        DecidedEffect.Verdict.allCases.randomElement(using: &random) ?? .done, on: .numbered(number)
      )
    }
    let error = StoredError(
      domain: random.text(5), code: random.chance(1, of: 2) ? 7 : nil, message: random.text(30),
      payload: random.chance(1, of: 2)
        ? StoredError.Payload(typeTag: "t", bytes: random.bytes(9)) : nil)
    let result: HandlerCallFinished.Result =
      random.chance(1, of: 2)
      ? .failed(error) : .returned(typeTag: random.text(8), bytes: random.bytes(30))
    return HandlerCallFinished.End(
      call: call, attempt: attempt,
      report: HandlerCallFinished.Report(effects: effects, result: result))
  }

  private func decodeAgain<Payload: EventPayload & Hashable>(_ payload: Payload) throws -> Bool {
    try Payload(decoding: payload.encoded) == payload
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func aRandomPayloadComesBack(seed: UInt64) throws {
    for payload in Self.payloads(seed: seed) {
      #expect(try decodeAgain(payload), "seed \(seed): \(payload)")
    }
  }

  /// Damaged bytes either decode to a complete payload, or are corrupt.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func aDamagedPayloadIsCorruptOrAnother(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for payload in Self.payloads(seed: seed) {
      for _ in 0..<20 {
        var bytes = payload.encoded
        let index = Int.random(in: bytes.indices, using: &random)
        bytes[index] = random.chance(1, of: 2) ? 0xFF : UInt8.random(in: 0...9, using: &random)
        if random.chance(1, of: 3) {
          bytes.removeLast(.random(in: 1...bytes.count, using: &random))
        }
        try checkDamaged(payload, bytes)
      }
    }
  }

  private func checkDamaged<Payload: EventPayload & Hashable>(
    _ original: Payload, _ bytes: [UInt8]
  ) throws {
    let payload: Payload
    do throws(LedgerError) {
      payload = try Payload(decoding: bytes)
    } catch {
      let code = error.code
      #expect(code == .corrupt)
      return
    }
    #expect(try decodeAgain(payload))
  }

  @Test func argumentsStandInTheOrderOfTheBytesOfTheirNames() throws {
    let names = ["😀", "é", "z", "B", "aa", "a", "e\u{301}x"]
    let arguments = try StoredArguments(
      names.map { StoredArgument(name: $0, typeTag: "t", payload: []) })
    #expect(arguments.arguments.map(\.name) == ["B", "a", "aa", "e\u{301}x", "z", "é", "😀"])
  }

  @Test(arguments: [
    "twice": "0200 0100 61 00 0100 74 00000000 0100 61 00 0100 74 00000000",
    "descending": "0200 0100 62 00 0100 74 00000000 0100 61 00 0100 74 00000000",
    "passes the end": "0100 0100 61 00 0100 74 01000000",
    "4 GiB": "0100 0100 61 00 0100 74 ffffffff",
    "name not UTF-8": "0100 0100 ff 00 0100 74 00000000",
    "a byte too many": "0000 00",
    "fewer than told": "ffff",
    "nothing": "",
  ])
  func argumentsThatAreNoneAreCorrupt(what: String, hex: String) {
    let error = #expect(throws: LedgerError.self) {
      try StoredArguments(decoding: [UInt8](hex: hex))
    }
    #expect(error?.code == .corrupt)
  }

  @Test(arguments: [
    "attempt 0", "reason 5", "outcome 2", "effect 7", "verdict 12", "repetition 2", "mode 2",
    "references descending", "references twice",
  ])
  func aNumberThatIsNotSpecifiedIsCorrupt(what: String) throws {
    let call = CallID.numbered(1)
    var released = HandlerCallReleased(call: call, attempt: 1, reason: .frozen).encoded
    let effect = DecidedEffect(.callHandler, .done, on: .numbered(1))
    var finished = HandlerCallFinished(
      HandlerCallFinished.End(
        call: call, attempt: 1, report: HandlerCallFinished.Report(effects: [effect], result: .void)
      )
    ).encoded
    var created = HandlerCreated(handlerKind: "k", arguments: StoredArguments.none).encoded
    var rebound = HandlerRebound(mode: .replaced, arguments: StoredArguments.none).encoded
    let low = "00000000000000000000000000000001"
    let high = "00000000000000000000000000000002"
    let error = #expect(throws: LedgerError.self) {
      switch what {
      case "attempt 0":
        released[4] = 0
        _ = try HandlerCallReleased(decoding: released)
      case "reason 5":
        released[0] = 5
        _ = try HandlerCallReleased(decoding: released)
      case "outcome 2":
        finished[1] = 2
        _ = try HandlerCallFinished(decoding: finished)
      case "effect 7":
        finished[28] = 7
        _ = try HandlerCallFinished(decoding: finished)
      case "verdict 12":
        finished[29] = 12
        _ = try HandlerCallFinished(decoding: finished)
      case "repetition 2":
        created[1] = 2
        _ = try HandlerCreated(decoding: created)
      case "mode 2":
        rebound[1] = 2
        _ = try HandlerRebound(decoding: rebound)
      case "references descending":
        _ = try HandlerRebound(
          decoding: [UInt8](hex: "0000000000000000 0200 0000 \(high) \(low) 0000"))
      default:
        _ = try HandlerRebound(
          decoding: [UInt8](hex: "0000000000000000 0000 0200 \(low) \(low) 0000"))
      }
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains(what.hasPrefix("references") ? "references" : what) == true)
  }

  @Test func badArgumentsAreRefused() {
    func code(_ arguments: [StoredArgument]) -> LedgerError.Code? {
      #expect(throws: LedgerError.self) { try StoredArguments(arguments) }?.code
    }
    let good = StoredArgument(name: "a", typeTag: "t", payload: [])
    #expect(code([good, good]) == .invalidArgument)
    #expect(code([good, .erasing("a")]) == .invalidArgument)
    #expect(code([.erasing("é"), .erasing("e\u{301}")]) == .invalidArgument)
    #expect(code([.erasing("")]) == .invalidArgument)
    #expect(code([.erasing("a\n")]) == .invalidArgument)
    #expect(code([.erasing(String(repeating: "a", count: 129))]) == .invalidArgument)
    #expect(code([StoredArgument(name: "a", typeTag: "", payload: [])]) == .invalidArgument)
    #expect(code((0...1_024).map { .erasing("\($0)") }) == .invalidArgument)
  }

  @Test func tooManyReferencesAreRefused() throws {
    func set(_ count: Int) throws(LedgerError) -> ArgumentSet {
      try ArgumentSet(
        checking: .none,
        references: HandlerReferences(
          promises: Set((1...count).map(PromiseID.numbered)), handlers: []))
    }
    #expect(try set(HandlerReferences.maximumCount).references.promises.count == 100)
    let error = #expect(throws: LedgerError.self) {
      try set(HandlerReferences.maximumCount + 1)
    }
    #expect(error?.code == .payloadTooLarge)
  }

  @Test func theLargestEventWithoutItsArgumentsFitsIntoAFrame() {
    let references = HandlerReferences(
      promises: Set((1...HandlerReferences.maximumCount).map(PromiseID.numbered)), handlers: [])
    func text(_ limit: TextLimit) -> String {
      String(repeating: "a", count: limit.maximumByteCount)
    }
    let created = HandlerCreated(
      handlerKind: text(.handlerKind), repetition: .repeating, key: text(.handlerKey),
      label: text(.label),
      scopes: Array(repeating: text(.scope), count: TextLimit.maximumScopeCount),
      references: references, arguments: nil)
    let invalidated = HandlerInvalidated(
      call: .numbered(1), runsCode: true, reason: text(.reason), references: references,
      arguments: nil)
    #expect(created.encoded.count <= EventBatch.maximumPayloadByteCount)
    #expect(invalidated.encoded.count <= EventBatch.maximumPayloadByteCount)
  }
}
