import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// The content of snapshot records: frozen bytes, and every state comes back as it was.
@Suite(.timeLimit(.minutes(10))) struct RecordContentTests {
  static let fact = LedgerEvent.Trace(
    position: Position(rawValue: 5), time: .at(9), session: .numbered(1))
  static let factHex =
    "0500000000000000 0900000000000000 0190000200017000 8000000000000001"

  static func expect(_ entity: LedgerEntity, _ hex: String...) throws {
    #expect(entity.content.hex == [UInt8](hex: hex.joined()).hex)
    let decoded = try LedgerEntity(
      type: entity.type, id: entity.id, content: [UInt8](hex: hex.joined()))
    #expect(decoded == entity)
  }

  @Test func aPendingPromiseIsAsSpecified() throws {
    let promise = PromiseEntity(
      id: .numbered(1), created: Self.fact, creationPayload: PromiseCreated(typeTag: "t").encoded,
      resolution: nil, closing: nil)
    try Self.expect(.promise(promise), "00", Self.factHex, "0b00 0000000000000000 0100 74")
  }

  @Test func aConsumedPromiseIsAsSpecified() throws {
    let resolved = PromiseResolved(
      outcome: .fulfilled, resolvedAt: .at(7), idempotencyKey: nil, content: nil)
    let promise = PromiseEntity(
      id: .numbered(1), created: Self.fact, creationPayload: PromiseCreated(typeTag: "t").encoded,
      resolution: .init(fact: Self.fact, payload: resolved.encoded, attachmentByteCount: 5_000),
      closing: .consumed(Self.fact, .recordedAfter))
    try Self.expect(
      .promise(promise), "03", Self.factHex, "0b00 0000000000000000 0100 74", Self.factHex,
      "88130000 1000 0200000000000000 0700000000000000", Self.factHex, "0100 01")
  }

  @Test func anAbandonedPromiseIsAsSpecified() throws {
    let promise = PromiseEntity(
      id: .numbered(1), created: Self.fact, creationPayload: PromiseCreated(typeTag: "t").encoded,
      resolution: nil, closing: .abandoned(Self.fact, reason: "no"))
    try Self.expect(
      .promise(promise), "04", Self.factHex, "0b00 0000000000000000 0100 74", Self.factHex,
      "0400 0200 6e6f")
  }

  @Test func aSessionIsAsSpecified() throws {
    let session = SessionEntity(
      id: .numbered(1), opened: .sample(), openedAt: .at(3), processID: 43, status: .ended(.died),
      lastPosition: Position(rawValue: 8), lastTime: .at(4))
    try Self.expect(
      .session(session), "02 01 2b000000 0300000000000000 0800000000000000 0400000000000000",
      "1b00 00000000 2a000000 0400 6d61696e 0400 686f7374 0500 302e312e30")
  }

  @Test func aHandlerIsAsSpecified() throws {
    let bound = BoundArguments(
      arguments: .attached(Position(rawValue: 2), byteCount: 3), references: .none,
      position: Position(rawValue: 2))
    let call = OpenCall(
      id: .numbered(1), purpose: .call, firstStart: Self.fact, arguments: .inline(.none),
      references: .none, bound: bound, attempt: 2, newestStart: Self.fact,
      release: .init(reason: .died, fact: Self.fact))
    let handler = HandlerEntity(
      id: .numbered(1), created: Self.fact,
      description: .init(
        kind: "k", repetition: .repeating, key: "y", label: "l", scopes: ["s"]),
      bound: bound, openCalls: [call.id: call],
      lastFinish: .init(
        fact: Self.fact, call: .numbered(2), purpose: .call, attempt: 1, outcome: .returned,
        report: .attached(Position(rawValue: 6), byteCount: 7)),
      invalidation: .init(
        fact: Self.fact, cause: Position(rawValue: 4), call: .numbered(3), runsCode: true,
        reason: "r"),
      isSpent: false, lastPosition: Position(rawValue: 8), lastTime: .at(4))
    let boundHex = "0200000000000000 0000 0000 01 0200000000000000 03000000"
    try Self.expect(
      .handler(handler), "1b 01 0100 01000000", Self.factHex, "0800000000000000 0400000000000000",
      "0100 6b 0100 79 0100 6c 0100 73", boundHex,
      "0190000400017000 8000000000000001 00 01 02 00 02000000", Self.factHex, Self.factHex,
      Self.factHex, "0000 0000 00 02000000 0000", boundHex,
      Self.factHex, "0190000400027000 8000000000000001 00 00 0000 01000000",
      "01 0600000000000000 07000000",
      Self.factHex, "0400000000000000 0190000400037000 8000000000000001 01 0100 72")
  }

  @Test(arguments: TestAmount.seeds(100))
  func everyStateOfAHistoryComesBackAsItWas(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }
    for entity in writer.ledger.state.overlaid {
      let content = entity.content
      let decoded = try LedgerEntity(type: entity.type, id: entity.id, content: content)
      #expect(decoded == entity, "seed \(seed)")
      #expect(decoded.content == content, "seed \(seed)")
    }
  }

  @Test(arguments: TestAmount.seeds(20, from: 101))
  func contentThatIsCutOffIsCorrupt(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<10 { writer.writeGroup() }
    for entity in writer.ledger.state.overlaid {
      let content = entity.content
      for count in Set([0, 1, content.count / 3, content.count / 2, content.count - 1]) {
        let error = #expect(throws: LedgerError.self, "the first \(count) bytes") {
          try LedgerEntity(type: entity.type, id: entity.id, content: Array(content[..<count]))
        }
        #expect(error?.code == .corrupt, "the first \(count) bytes")
      }
      #expect(throws: LedgerError.self, "\(entity.id)") {
        try LedgerEntity(type: entity.type, id: entity.id, content: content + [0])
      }
    }
  }

  /// There is no attempt after it.
  @Test func aCallInItsLastAttemptIsCorrupt() throws {
    let bound = BoundArguments(
      arguments: .inline(.none), references: .none, position: Position(rawValue: 2))
    for (attempt, isSound) in [(UInt32.max - 1, true), (UInt32.max, false)] {
      let call = OpenCall(
        id: .numbered(1), purpose: .call, firstStart: Self.fact, arguments: .inline(.none),
        references: .none, bound: bound, attempt: attempt, newestStart: Self.fact,
        release: .init(reason: .died, fact: Self.fact))
      let handler = HandlerEntity(
        id: .numbered(1), created: Self.fact, description: .init(kind: "k"), bound: bound,
        openCalls: [call.id: call], lastFinish: nil, invalidation: nil, isSpent: false,
        lastPosition: Position(rawValue: 8), lastTime: .at(4))
      let entity = LedgerEntity.handler(handler)
      let decoded = try? LedgerEntity(type: .handler, id: entity.id, content: entity.content)
      #expect((decoded != nil) == isSound)
    }
  }
}
