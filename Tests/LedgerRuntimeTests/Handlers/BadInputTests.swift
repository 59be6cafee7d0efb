import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Wrong use causes an error that explains the mistake, and leaves the handler and its promise
/// usable.
@Suite(.timeLimit(.minutes(10)))
struct HandlerBadInputTests {
  private struct Answer: LedgerHandler {
    static let kind = "answer"
    let room: String
    let count: Int
    let promise: DurablePromise<String>
    let colour: Colour?
    let note: String?

    func run(in call: HandlerCall<Void>) throws -> Int {
      try call.fulfill(promise, room)
      return count
    }
  }

  private let temporary: TemporaryLedger
  private let ledger: Ledger
  private let promise: DurablePromise<String>

  init() async throws {
    temporary = try TemporaryLedger()
    ledger = try await temporary.open { registry in
      try registry.register(Answer.self)
      try registry.register(Nothing.self)
      try registry.register(Picky.self)
      try registry.register(Structured.self)
    }
    promise = try await ledger.createPromise()
  }

  /// A handler with arguments that another build bound.
  private func leave(_ arguments: HandlerArguments) async throws -> DurableHandler {
    ledger.handler(id: try await temporary.createElsewhere(Answer.self, arguments))
  }

  /// Checks that the handler can still be called with correct arguments, and its promise resolved.
  private func expectUsable(
    _ handler: DurableHandler, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    #expect(
      try await promise.record?.status == .pending, sourceLocation: sourceLocation)
    let count = try await handler.call(
      as: Answer.self, ["room": "r", "count": 3, "promise": promise, "colour": nil])
    #expect(count == 3, sourceLocation: sourceLocation)
    #expect(try await promise.consume() == "r", sourceLocation: sourceLocation)
  }

  @Test func aMissingArgumentIsNamedWithBothSets() async throws {
    let handler = try await leave(["promise": promise, "extra": true])
    await expectError(
      .argumentMissing,
      naming: [
        "\(handler.id)", "answer", "argument room (string)", "promise promise<string>",
        "extra bool", "Given: count int",
      ]
    ) { try await handler.call(["count": 3]) }
    try await expectUsable(handler)
  }

  @Test func aMistypedArgumentIsNamedWithBothTypes() async throws {
    let handler = try await leave(["promise": promise, "count": 1.0])
    await expectError(
      .argumentMismatch,
      naming: ["\(handler.id)", "answer", "count", "int", "not double", "Given: room string"]
    ) { try await handler.call(["room": "r"]) }
    // The call's arguments take precedence over the bound ones.
    try await expectUsable(handler)
  }

  @Test func narrowingIsRefusedEvenIfTheValueWouldFit() async throws {
    let handler = try await ledger.createHandler(Picky.self).handler
    await expectError(.argumentMismatch, naming: ["number", "int8", "not int16"]) {
      try await handler.call(["number": Int16(5)])
    }
    #expect(try await handler.call(as: Picky.self, ["number": Int8(-5)]) == -5)
  }

  @Test func anIntegerLiteralMustFit() async throws {
    await expectError(.argumentMismatch, naming: ["number", "int8", "not int: 128 does not fit"]) {
      try await ledger.createHandler(Picky.self, ["number": 128])
    }
    let handler = try await ledger.createHandler(Picky.self, ["number": -128]).handler
    #expect(try await handler.call(as: Picky.self) == -128)
  }

  private struct Picky: LedgerHandler {
    static let kind = "picky"
    let number: Int8

    func run(in call: HandlerCall<Void>) -> Int8 { number }
  }

  @Test func aPromiseOfAnotherTypeIsAMismatch() async throws {
    let other = try await ledger.createPromise(of: Int.self)
    let handler = try await leave(["promise": other, "count": 3, "room": "r"])
    await expectError(.argumentMismatch, naming: ["promise<string>", "promise<int>"]) {
      try await handler.call()
    }
    try await expectUsable(handler)
  }

  @Test func aValueThatNoLongerDecodesIsNamed() async throws {
    // As an older version, whose colours had other names, left it.
    struct Former: Encodable, PayloadTagged {
      static let payloadTypeTag = "Colour"
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("mauve")
      }
    }
    let handler = try await leave(["promise": promise, "colour": Former()])
    await expectError(.decodingFailed, naming: ["colour", "Colour", "\(handler.id)"]) {
      try await handler.call(["room": "r", "count": 3])
    }
    let problems = try await ledger.preflight()
    #expect(problems.map(\.handler) == [handler.id])
    #expect(problems.map(\.error.code) == [.decodingFailed])
    try await handler.merge([:], erasing: ["colour"])
    try await expectUsable(handler)
  }

  @Test func argumentsAreBounded() async throws {
    var configuration = LedgerConfiguration()
    configuration.maximumPayloadSizeInBytes = 1_000
    try configuration.handlers.register(Answer.self)
    let small = try await temporary.open(configuration: configuration)
    let large = String(repeating: "x", count: 1_000)
    await expectError(.payloadTooLarge, naming: ["answer", "room", "1002 bytes", "1000 bytes"]) {
      try await small.createHandler(Answer.self, ["room": large])
    }
    let handler = try await small.createHandler(Answer.self).handler
    await expectError(.payloadTooLarge, naming: ["\(handler.id)", "room"]) {
      try await handler.call(["room": large])
    }
    // Each fits, and both together do not.
    let half = String(repeating: "x", count: 600)
    await expectError(.payloadTooLarge, naming: ["room"]) {
      try await handler.call(["a": half, "room": half])
    }
    try await handler.rebind(["note": half])
    await expectError(.payloadTooLarge, naming: ["\(handler.id)", "1204"]) {
      try await handler.merge(["room": half])
    }
    let mine = ledger.handler(id: handler.id)
    try await expectUsable(mine)
    await small.close()
  }

  @Test func namesAreChecked() async throws {
    await expectError(.invalidArgument, naming: ["argument name"]) {
      try await ledger.createHandler(Answer.self, ["": 1])
    }
    await expectError(.invalidArgument, naming: ["argument name"]) {
      try await ledger.createHandler(Answer.self, [String(repeating: "n", count: 129): 1])
    }
    await expectError(.invalidArgument, naming: ["room", "twice"]) {
      try await ledger.createHandler(Answer.self, ["room": "a", "room": nil])
    }
  }

  @Test func unencodableValuesAreNamed() async throws {
    await expectError(.encodingFailed, naming: ["answer", "count"]) {
      try await ledger.createHandler(Answer.self, ["count": Double.nan])
    }
    let long = String(repeating: "T", count: 129)
    struct Tagged: Encodable, PayloadTagged {
      static let payloadTypeTag = String(repeating: "T", count: 129)
    }
    #expect(Tagged.payloadTypeTag == long)
    await expectError(.invalidArgument, naming: ["type tag"]) {
      try await ledger.createHandler(Answer.self, ["count": Tagged()])
    }
  }

  @Test func handlesOfAnotherLedgerAreRefused() async throws {
    let elsewhere = try TemporaryLedger()
    let other = try await elsewhere.open(as: .app) { try $0.register(Nothing.self) }
    let foreignPromise = try await other.createPromise(of: String.self)
    let foreignHandler = try await other.createHandler(Nothing.self).handler
    await expectError(.invalidArgument, naming: ["another ledger"]) {
      try await ledger.createHandler(Answer.self, ["promise": foreignPromise])
    }
    await expectError(.invalidArgument, naming: ["another ledger"]) {
      try await ledger.createHandler(Answer.self, ["deep": ["a": [foreignHandler]]])
    }
    await other.close()
  }

  @Test func tooManyReferencesAreRefused() async throws {
    let handler = try await ledger.createHandler(Nothing.self).handler
    let handles = (0...100).map { number in
      ledger.handler(id: HandlerID(entityID: PromiseID("\(handler.id)")!.entityID.next(number)))
    }
    await expectError(.payloadTooLarge, naming: ["101"]) {
      try await ledger.createHandler(Answer.self, ["all": handles])
    }
  }

  @Test func unknownHandlersAreNotFound() async throws {
    let unknown = ledger.handler(forKey: try HandlerKey("nobody"))
    await expectError(.handlerNotFound, naming: ["\(unknown.id)"]) { try await unknown.call() }
    await expectError(.handlerNotFound) { try await unknown.rebind([:]) }
    await expectError(.handlerNotFound) { try await unknown.merge([:]) }
    await expectError(.handlerNotFound) { try await unknown.invalidate() }
    #expect(try await unknown.record == nil)
  }

  @Test func textsAreBounded() async throws {
    let long = String(repeating: "x", count: 5_000)
    await expectError(.invalidArgument) {
      try await ledger.createHandler(Nothing.self, label: long)
    }
    await expectError(.invalidArgument) {
      try await ledger.createHandler(Nothing.self, scopes: [""])
    }
    await expectError(.invalidArgument) {
      try await ledger.createHandler(Nothing.self, scopes: (0..<17).map { "\($0)" })
    }
    await expectError(.invalidArgument) { try HandlerKey("") }
    let handler = try await ledger.createHandler(Nothing.self).handler
    await expectError(.invalidArgument) { try await handler.invalidate(reason: long) }
    await expectError(.invalidArgument) { try await ledger.invalidateAll(scope: "") }
    try await handler.call()
  }

  @Test func aTypeThatTakesArgumentsApartIsRefused() async throws {
    let id = try await temporary.createElsewhere(Structured.self, ["a": [1]])
    await expectError(.invalidArgument, naming: ["one by one", "\(id)", "structured"]) {
      try await ledger.handler(id: id).call()
    }
    await expectError(.invalidArgument, naming: ["one by one", "structured"]) {
      try await ledger.createHandler(Structured.self, ["a": [1]])
    }
  }

  private struct Structured: LedgerHandler {
    static let kind = "structured"
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      _ = try container.nestedUnkeyedContainer(forKey: .a)
    }
    func encode(to encoder: any Encoder) throws {}
    private enum CodingKeys: CodingKey { case a }
    func run(in call: HandlerCall<Void>) {}
  }

  @Test func aBindingWithoutMembersIsRefused() async throws {
    await expectError(.encodingFailed, naming: ["one by one"]) {
      try await ledger.createHandler(Answer.self, HandlerArguments(encoding: [1, 2]))
    }
    await expectError(.encodingFailed, naming: ["one by one"]) {
      try await ledger.createHandler(Answer.self, HandlerArguments(encoding: "text"))
    }
  }
}

extension EntityID {
  /// Another id.
  fileprivate func next(_ number: Int) -> EntityID {
    EntityID(high: high, low: low &+ UInt64(number))
  }
}
