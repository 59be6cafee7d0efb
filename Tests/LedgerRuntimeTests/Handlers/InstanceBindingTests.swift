import Foundation
import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Handlers that are created from an instance, and calls with a typed binding.
@Suite(.timeLimit(.minutes(10)))
struct InstanceBindingTests {
  private struct Joined: LedgerHandler {
    struct Binding: Encodable, Sendable {
      var role: String?
      var age: UInt8?
    }

    static let kind = "joined"
    let room: String
    let promise: DurablePromise<Int>
    var bytes: [UInt8] = []
    var role: String?
    var age: UInt8?

    func run(in call: HandlerCall<Void>) throws -> String {
      try call.fulfill(promise, bytes.count)
      return "\(room) \(role ?? "-") \(age.map { "\($0)" } ?? "-")"
    }
  }

  /// Has a parameter that only the call gives.
  private struct Answered: LedgerHandler {
    struct Binding: Encodable, Sendable {
      var room: String?
      var text: String?
      var number: Int?
    }

    static let kind = "answered"
    let room: String
    let text: String

    func run(in call: HandlerCall<Void>) -> String { "\(room) \(text)" }
  }

  /// Encodes itself as one value, as a dictionary cannot be.
  private struct Single: LedgerHandler {
    static let kind = "single"
    let text: String

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = "" }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }

    func run(in call: HandlerCall<Void>) {}
  }

  private let ledger: Ledger
  private let temporary: TemporaryLedger

  init() async throws {
    temporary = try TemporaryLedger()
    ledger = try await temporary.open { registry in
      try registry.register(Joined.self)
      try registry.register(Answered.self)
      try registry.register(Single.self)
      try registry.register(Scripted.self) {
        Scripted.Script { scripted, call in
          let promise = try #require(scripted.promise)
          _ = try call.createHandler(
            Joined(room: "effect", promise: promise), key: HandlerKey("instance"))
          _ = try call.createHandler(
            Answered.self, binding: .init(room: "effect"), key: HandlerKey("binding"))
          return 1
        }
      }
    }
  }

  @Test func anInstanceBindsTheSameAsADictionary() async throws {
    let promise = try await ledger.createPromise(of: Int.self)
    let instance = try await ledger.createHandler(
      Joined(room: "r", promise: promise, bytes: [1], age: 7), key: HandlerKey("iq-1"),
      scopes: ["s"], repetition: .repeating, label: "l")
    let dictionary = try await ledger.createHandler(
      Joined.self,
      ["room": "r", "promise": promise, "bytes": [1] as [UInt8], "age": 7 as UInt8])
    let record = try #require(try await instance.handler.record)
    #expect(record.bound == (try await dictionary.handler.record?.bound))
    #expect(record.bound.arguments.map(\.name) == ["age", "bytes", "promise", "room"])
    #expect(record.references.promises == [promise.id])
    #expect(record.id == (try HandlerKey("iq-1").handlerID) && record.kind == "joined")
    #expect(record.scopes == ["s"] && record.repetition == .repeating && record.label == "l")
    await ledger.close()
  }

  @Test func anOptionalPropertyWithoutAValueStaysOpen() async throws {
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Joined(room: "r", promise: promise, age: 7), repetition: .repeating
    ).handler
    #expect(try await handler.call(as: Joined.self) == "r - 7")
    #expect(try await handler.call(as: Joined.self, ["role": "owner"]) == "r owner 7")
    #expect(try await handler.call(as: Joined.self, binding: .init(role: "guest")) == "r guest 7")
    #expect(try await handler.call(as: Joined.self, binding: .init(age: 8)) == "r - 8")
    #expect(try await promise.consume() == 0)
    await ledger.close()
  }

  @Test func aBindingLeavesAMandatoryPropertyToTheCall() async throws {
    let handler = try await ledger.createHandler(
      Answered.self, binding: .init(room: "r"), repetition: .repeating
    ).handler
    await expectError(.argumentMissing, naming: ["text"]) {
      try await handler.call(as: Answered.self)
    }
    #expect(try await handler.call(as: Answered.self, binding: .init(text: "yes")) == "r yes")
    await expectError(.invalidArgument, naming: ["number"]) {
      try await ledger.createHandler(Answered.self, binding: .init(number: 1))
    }
    await ledger.close()
  }

  @Test func aTypedCallOfAnotherKindIsRefused() async throws {
    let handler = try await ledger.createHandler(Answered(room: "r", text: "t")).handler
    await expectError(.typeMismatch) {
      try await handler.call(as: Joined.self, binding: .init(role: "owner"))
    }
    #expect(try await handler.record?.status == .active)
    await ledger.close()
  }

  @Test func aBatchCreatesHandlersFromInstancesAndBindings() async throws {
    let (first, second) = try await ledger.batch { batch in
      let promise = try batch.createPromise(of: Int.self)
      return (
        try batch.createHandler(Joined(room: "batch", promise: promise)),
        try batch.createHandler(Answered.self, binding: .init(room: "batch"))
      )
    }
    #expect(try await first.call(as: Joined.self) == "batch - -")
    #expect(try await second.call(as: Answered.self, ["text": "t"]) == "batch t")
    await ledger.close()
  }

  @Test func codeCreatesHandlersFromInstancesAndBindings() async throws {
    let promise = try await ledger.createPromise(of: Int.self)
    try await ledger.createHandler(Scripted(name: nil, promise: promise, other: nil)).handler.call()
    let first = try ledger.handler(forKey: HandlerKey("instance"))
    #expect(try await first.call(as: Joined.self) == "effect - -")
    let second = try ledger.handler(forKey: HandlerKey("binding"))
    #expect(try await second.call(as: Answered.self, ["text": "t"]) == "effect t")
    await ledger.close()
  }

  @Test func anInstanceThatIsNotMadeOfMembersIsRefused() async throws {
    await expectError(.encodingFailed, naming: [Single.kind]) {
      try await ledger.createHandler(Single(text: "t"))
    }
    await ledger.close()
  }
}
