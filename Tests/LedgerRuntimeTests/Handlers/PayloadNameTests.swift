import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Types of values that were renamed, and types that need a codec of their own.
@Suite(.timeLimit(.minutes(10)))
struct PayloadNameTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  // MARK: Former names

  /// The app before the update.
  private enum Before {
    struct Stanza: Codable, Sendable {
      let id: String
    }

    struct Handler: LedgerHandler {
      static let kind = "renamed-values"
      let one: Stanza?
      let list: [Stanza?]?
      let table: [String: Stanza]?
      let promise: DurablePromise<Stanza>?
      func run(in call: HandlerCall<Void>) {}
    }
  }

  /// The app after it.
  private enum After {
    struct Answer: Codable, Sendable, Equatable, PayloadTagged {
      static let payloadTypeTag = "answer"
      static let formerPayloadTypeTags = ["reply", "Stanza"]
      let id: String
    }

    struct Handler: LedgerHandler {
      static let kind = "renamed-values"
      let one: Answer?
      let list: [Answer?]?
      let table: [String: Answer]?
      let promise: DurablePromise<Answer>?

      func run(in call: HandlerCall<Void>) throws -> [Answer] {
        let all = [one] + (list ?? []) + (table ?? [:]).values.map(Optional.some)
        if let promise { try call.fulfill(promise, Answer(id: "result")) }
        return all.compactMap { $0 }
      }
    }
  }

  @Test func argumentsThatWereStoredUnderAFormerNameAreRead() async throws {
    let before = try await temporary.open { try $0.register(Before.Handler.self) }
    let stanza = Before.Stanza(id: "1")
    let promise = try await before.createPromise(of: Before.Stanza.self)
    let handler = try await before.createHandler(
      Before.Handler.self,
      [
        "one": stanza, "list": [stanza, nil] as [Before.Stanza?], "table": ["a": stanza],
        "promise": promise,
      ]
    ).handler
    await before.close()
    let after = try await temporary.open { try $0.register(After.Handler.self) }
    #expect(try await after.preflight().isEmpty)
    let answer = After.Answer(id: "1")
    let values = try await after.handler(id: handler.id).call(as: After.Handler.self)
    #expect(values == [answer, answer, answer])
    let there = try after.promise(id: promise.id, of: After.Answer.self)
    #expect(try await there.consume() == After.Answer(id: "result"))
    await after.close()
  }

  @Test func promisesOfAFormerNameAreFulfilledFoundAndRead() async throws {
    let ledger = try await temporary.open { _ in }
    let key = try PromiseKey("answer")
    let before = try await ledger.findOrCreatePromise(key: key, of: Before.Stanza.self)
    let after = try await ledger.findOrCreatePromise(key: key, of: After.Answer.self)
    #expect(before.id == after.id)
    #expect(try await after.fulfill(After.Answer(id: "2")).isSuccess)
    #expect(try await after.outcome == .fulfilled(After.Answer(id: "2")))
    // The old build continues with the name that it knows.
    #expect(try await before.consume().id == "2")
    await ledger.close()
  }

  @Test func anErrorThatWasStoredUnderAFormerNameIsDecoded() throws {
    let payload = StoredError.Payload(typeTag: "Stanza", bytes: Array(#"{"id":"5"}"#.utf8))
    let error = StoredError(domain: "chat", message: "refused", payload: payload)
    #expect(error.decode(as: After.Answer.self) == After.Answer(id: "5"))
    struct Other: Codable, Sendable { let id: String }
    #expect(error.decode(as: Other.self) == nil)
  }

  @Test func aNameThatIsNoFormerOneIsAMismatch() async throws {
    let ledger = try await temporary.open { try $0.register(After.Handler.self) }
    struct Other: Codable, Sendable { let id: String }
    let promise = try await ledger.createPromise(of: Other.self)
    let wrong = try ledger.promise(id: promise.id, of: After.Answer.self)
    await expectError(.typeMismatch, naming: ["Other", "answer"]) {
      try await wrong.fulfill(After.Answer(id: "3"))
    }
    await expectError(.argumentMismatch, naming: ["one", "answer", "not Other"]) {
      try await ledger.createHandler(After.Handler.self, ["one": Other(id: "3")])
    }
    // The other way round: newly stored values have the new name.
    let new = try await ledger.createPromise(of: After.Answer.self)
    #expect(try await new.record?.typeTag == "answer")
    await expectError(.typeMismatch) {
      try await ledger.promise(id: new.id, of: Before.Stanza.self).fulfill(Before.Stanza(id: "4"))
    }
    await ledger.close()
  }

  // MARK: Codecs

  /// Not `Codable`.
  private struct Bundle: Sendable, Equatable {
    let keys: [UInt8]

    static let codec = PayloadCodec<Bundle>(
      typeTag: "bundle", encode: { $0.keys.reversed() },
      decode: { Bundle(keys: $0.reversed()) })
  }

  private struct Fetched: LedgerHandler {
    static let kind = "fetched"
    let keys: [UInt8]?
    let promises: [DurablePromise<Bundle>]?
    let promise: DurablePromise<Bundle>

    func run(in call: HandlerCall<Void>) throws {
      for promise in [promise] + (promises ?? []) {
        try call.fulfill(promise, Bundle(keys: keys ?? []))
      }
      _ = try call.createPromise(of: Bundle.self, key: PromiseKey("made"))
    }
  }

  private func open(withCodec: Bool) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    if withCodec { configuration.codecs.register(Bundle.codec) }
    try configuration.handlers.register(Fetched.self)
    return try await temporary.open(configuration: configuration)
  }

  @Test func aPromiseWhoseValueHasARegisteredCodecIsAnArgument() async throws {
    let ledger = try await open(withCodec: true)
    let promise = try await ledger.createPromise(of: Bundle.self)
    let other = try await ledger.findOrCreatePromise(key: PromiseKey("other"), of: Bundle.self)
    #expect(try await promise.record?.typeTag == "bundle")
    let handler = try await ledger.createHandler(
      Fetched.self, ["promise": promise, "promises": [other]]
    ).handler
    #expect(try await ledger.preflight().isEmpty)
    try await handler.call(["keys": [1, 2, 3] as [UInt8]])
    for id in [promise.id, other.id] {
      #expect(
        try await ledger.promise(id: id, of: Bundle.self).consume() == Bundle(keys: [1, 2, 3]))
    }
    #expect(try await ledger.record(forKey: PromiseKey("made"))?.typeTag == "bundle")
    await ledger.close()
  }

  @Test func withoutTheCodecTheErrorNamesTheMissingPart() async throws {
    let ledger = try await open(withCodec: true)
    let promise = try await ledger.createPromise(of: Bundle.self)
    let handler = try await ledger.createHandler(Fetched.self, ["promise": promise]).handler
    await ledger.close()
    let without = try await open(withCodec: false)
    #expect(try await without.preflight().map(\.handler) == [handler.id])
    await expectError(.decodingFailed, naming: ["promise<Bundle>", "LedgerConfiguration.codecs"]) {
      try await without.handler(id: handler.id).call()
    }
    await expectError(.invalidArgument, naming: ["Bundle", "LedgerConfiguration.codecs"]) {
      try await without.createPromise(of: Bundle.self)
    }
    await without.close()
  }
}
