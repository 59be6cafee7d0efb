import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Mistakes in bound arguments are found where they are bound, not where an answer arrives.
@Suite(.timeLimit(.minutes(10)))
struct BindingCheckTests {
  private struct Stanza: Codable, Sendable {
    let id: String
  }

  /// The parameter that cannot be bound comes first, so that nothing can be substituted for it.
  private struct Answer: LedgerHandler {
    struct Invalidation: Codable, Sendable {
      let why: String?
      let count: Int?
    }

    enum CodingKeys: String, CodingKey {
      case stanza, promise
      case room = "chat-room"
    }

    static let kind = "answer"
    let stanza: Stanza
    let room: String
    let promise: DurablePromise<Int>?

    func run(in call: HandlerCall<Void>) -> String { room }
    static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Void>) {}
  }

  /// One parameter of each kind that something can be put in for.
  private struct Typed: LedgerHandler {
    enum Colour: String, Codable, Sendable, CaseIterable { case red }

    static let kind = "typed"
    let text: String
    let list: [Int]
    let colour: Colour
    let last: Int

    func run(in call: HandlerCall<Void>) {}
  }

  private let temporary: TemporaryLedger
  private let ledger: Ledger

  init() async throws {
    temporary = try TemporaryLedger()
    ledger = try await temporary.open { registry in
      try registry.register(Answer.self)
      try registry.register(Typed.self)
      try registry.register(Nothing.self)
      try registry.register(AnyArguments.self)
      try registry.register(Scripted.self) {
        Scripted.Script { _, call in
          _ = try call.createHandler(Answer.self, ["room": "x"])
          return 1
        }
      }
    }
  }

  // MARK: Names

  @Test func aNameThatIsNoParameterIsRefusedWithTheOnesThatAre() async throws {
    let before = try await ledger.catchUp()
    let words = ["answer", "parameter roon", "stanza", "why, count"]
    await expectError(.invalidArgument, naming: words) {
      try await ledger.createHandler(Answer.self, ["roon": "x"])
    }
    await expectError(.invalidArgument, naming: ["parameter room"]) {
      // The name of the property is not that of the argument.
      try await ledger.createHandler(Answer.self, ["room": "x"])
    }
    struct Binding: Encodable, Sendable { var roon = "x" }
    await expectError(.invalidArgument, naming: words) {
      try await ledger.createHandler(Answer.self, HandlerArguments(encoding: Binding()))
    }
    await expectError(.invalidArgument, naming: words) {
      try await ledger.batch { batch in
        _ = try batch.createPromise(of: Int.self)
        try batch.createHandler(Answer.self, ["roon": "x"])
      }
    }
    await expectError(.invalidArgument, naming: ["nothing", "parameter x", "are: none"]) {
      try await ledger.createHandler(Nothing.self, ["x": 1])
    }
    await expectError(.invalidArgument, naming: ["text, list, colour, last"]) {
      try await ledger.createHandler(Typed.self, ["x": 1])
    }
    #expect(try await ledger.catchUp() == before)
    let maker = try await ledger.createHandler(Scripted.self).handler
    await expectError(.invalidArgument, naming: ["parameter room"]) { try await maker.call() }
    await ledger.close()
  }

  @Test func namesOfInvalidationCodeAndNamesThatAreErasedMayBeBound() async throws {
    let handler = try await ledger.createHandler(
      Answer.self, ["chat-room": "x", "why": "over", "roon": nil]
    ).handler
    #expect(try await handler.record?.bound.arguments.map(\.name) == ["chat-room", "why"])
    try await handler.merge([:], erasing: ["roon", "why"])
    try await handler.rebind(HandlerArguments().erasing("roon"))
    #expect(try await handler.record?.bound.arguments.isEmpty == true)
    await ledger.close()
  }

  @Test func bindingAnewIsCheckedToo() async throws {
    let handler = try await ledger.createHandler(Answer.self, ["chat-room": "x"]).handler
    let before = try await ledger.catchUp()
    await expectError(.invalidArgument, naming: ["\(handler.id)", "parameter roon"]) {
      try await handler.rebind(["roon": "x"])
    }
    await expectError(.invalidArgument, naming: ["parameter roon"]) {
      try await handler.merge(["roon": "x"])
    }
    await expectError(.argumentMismatch, naming: ["count", "int", "not string"]) {
      try await handler.merge(["count": "two"])
    }
    #expect(try await ledger.catchUp() == before)
    await ledger.close()
  }

  @Test func namesThatACallGivesBesidesAreIgnored() async throws {
    let handler = try await ledger.createHandler(Answer.self, ["chat-room": "x"]).handler
    let arguments: HandlerArguments = ["stanza": Stanza(id: "1"), "roon": 1, "why": true]
    #expect(try await handler.call(as: Answer.self, arguments) == "x")
    await ledger.close()
  }

  @Test func bindingsOfAnotherBuildAreNoMistakesOfThisOne() async throws {
    let id = try await temporary.createElsewhere(Answer.self, ["roon": "x", "count": "two"])
    let handler = ledger.handler(id: id)
    try await handler.merge(["chat-room": "y"])
    #expect(try await handler.record?.bound.arguments.count == 3)
    let older = try await temporary.open(as: .appExtension) { try $0.register(Nothing.self) }
    try await older.handler(id: id).merge(["new": 1])
    #expect(try await handler.record?.bound.arguments.count == 4)
    await older.close()
    await ledger.close()
  }

  @Test func aKindThatTakesAnyNameIsLeftAlone() async throws {
    let handler = try await ledger.createHandler(AnyArguments.self, ["a": 1, "b": "x"]).handler
    #expect(try await handler.record?.bound.arguments.count == 2)
    await ledger.close()
  }

  @Test func thePromiseThatAFailureRejectsMustBeAParameter() async throws {
    struct Misspelt: LedgerHandler {
      static let kind = "misspelt"
      static let onFailure = HandlerFailurePolicy.rejectPromise(named: "promisse")
      let promise: DurablePromise<Int>
      func run(in call: HandlerCall<Void>) {}
    }
    var registry = HandlerRegistry()
    await expectError(.invalidArgument, naming: ["Misspelt", "parameter promisse", "promise"]) {
      try registry.register(Misspelt.self)
    }
    await ledger.close()
  }

  // MARK: Types

  @Test func aWrongTypeIsRefusedWhereItIsBound() async throws {
    let before = try await ledger.catchUp()
    await expectError(.argumentMismatch, naming: ["typed", "text", "string", "not bool"]) {
      try await ledger.createHandler(Typed.self, ["text": true])
    }
    // Other parameters come before it, and are not bound.
    await expectError(.argumentMismatch, naming: ["last", "int", "not string"]) {
      try await ledger.createHandler(Typed.self, ["last": "x"])
    }
    await expectError(.argumentMismatch, naming: ["why", "string", "not int"]) {
      try await ledger.createHandler(Answer.self, ["why": 5])
    }
    await expectError(.decodingFailed, naming: ["colour"]) {
      struct Colour: Encodable, PayloadTagged {
        static let payloadTypeTag = "Colour"
        func encode(to encoder: any Encoder) throws { try "mauve".encode(to: encoder) }
      }
      return try await ledger.createHandler(Typed.self, ["colour": Colour()])
    }
    #expect(try await ledger.catchUp() == before)
    await ledger.close()
  }

  // MARK: Numbers

  private struct Number<Value: Codable & Sendable>: LedgerHandler {
    static var kind: String { "number" }
    let number: Value
    func run(in call: HandlerCall<Void>) -> Value { number }
  }

  private func expectNumbers<Value: Codable & Sendable & Equatable & LosslessStringConvertible>(
    _ type: Value.Type, fitting: [Int], unfit: [Int]
  ) async throws {
    let ledger = try await temporary.open(as: .appExtension) {
      try $0.register(Number<Value>.self)
    }
    for number in fitting {
      let bound = try await ledger.createHandler(Number<Value>.self, ["number": number]).handler
      let given = try await ledger.createHandler(Number<Value>.self).handler
      for value in [
        try await bound.call(as: Number<Value>.self),
        try await given.call(as: Number<Value>.self, ["number": number]),
      ] {
        #expect(Double("\(value)").flatMap(Int.init(exactly:)) == number, "\(type) \(number)")
      }
    }
    for number in unfit {
      await expectError(.argumentMismatch, naming: ["not int: \(number) does not fit"]) {
        try await ledger.createHandler(Number<Value>.self, ["number": number])
      }
      let given = try await ledger.createHandler(Number<Value>.self).handler
      await expectError(.argumentMismatch, naming: ["number"]) {
        try await given.call(["number": number])
      }
    }
    await ledger.close()
  }

  @Test func anIntegerLiteralStandsForEveryTypeThatHasItsValue() async throws {
    try await expectNumbers(Int8.self, fitting: [-128, 0, 127], unfit: [-129, 128])
    try await expectNumbers(UInt8.self, fitting: [0, 255], unfit: [-1, 256])
    try await expectNumbers(Int16.self, fitting: [-32_768, 32_767], unfit: [-32_769, 32_768])
    try await expectNumbers(UInt16.self, fitting: [0, 65_535], unfit: [-1, 65_536])
    try await expectNumbers(Int32.self, fitting: [-1 << 31, 1 << 31 - 1], unfit: [1 << 31])
    try await expectNumbers(UInt32.self, fitting: [0, 1 << 32 - 1], unfit: [-1, 1 << 32])
    try await expectNumbers(UInt.self, fitting: [0, 1 << 52], unfit: [-1, .min])
    try await expectNumbers(Float.self, fitting: [-7, 1 << 24], unfit: [1 << 24 + 1])
    try await expectNumbers(Double.self, fitting: [-7, 1 << 53], unfit: [1 << 53 + 1, .max])
    await ledger.close()
  }

  @Test func otherNumbersStandForNoneButTheirOwnType() async throws {
    struct Ratio: LedgerHandler {
      static let kind = "ratio"
      let ratio: Float
      func run(in call: HandlerCall<Void>) {}
    }
    let ledger = try await temporary.open(as: .appExtension) { try $0.register(Ratio.self) }
    for arguments: HandlerArguments in [["ratio": 0.5], ["ratio": UInt8(5)], ["ratio": "5"]] {
      await expectError(.argumentMismatch, naming: ["ratio", "float"]) {
        try await ledger.createHandler(Ratio.self, arguments)
      }
    }
    await ledger.close()
    await self.ledger.close()
  }
}
