import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The mistakes that are usual: each error names the thing, the reason and the next step, word for word.
@Suite(.timeLimit(.minutes(2)))
struct UsualMistakesTests {
  private struct Answer: LedgerHandler {
    static let kind = "answer"
    let room: String
    let promise: DurablePromise<String>

    func run(in call: HandlerCall<Void>) throws {
      try call.fulfill(promise, room)
    }
  }

  private struct Unregistered: LedgerHandler {
    static let kind = "unregistered"
    func run(in call: HandlerCall<Void>) {}
  }

  private let temporary: TemporaryLedger
  private let ledger: Ledger
  private let key: PromiseKey
  private let promise: DurablePromise<String>

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.maximumPayloadSizeInBytes = 1_000
    configuration.waitsWhileFrozen = false
    try configuration.handlers.register(Answer.self)
    ledger = try await temporary.open(configuration: configuration)
    key = try PromiseKey("avatar/room")
    promise = try await ledger.createPromise(key: key, label: "Remove the avatar")
  }

  /// The message of an error that the call must throw.
  private func error(
    _ code: LedgerError.Code, of call: () async throws -> some Any,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async -> String? {
    do {
      let answer = try await call()
      Issue.record("no error, but \(answer)", sourceLocation: sourceLocation)
    } catch let error as LedgerError {
      #expect(error.code == code, sourceLocation: sourceLocation)
      return error.message
    } catch {
      Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
    return nil
  }

  private var name: String {
    "Promise \(promise.id) (key \"avatar/room\", \"Remove the avatar\")"
  }

  // MARK: Promises

  @Test func anotherType() async throws {
    #expect(
      await error(.typeMismatch) {
        try await ledger.findOrCreatePromise(key: key, of: Int.self)
      }
        == "\(name) has values of the type string, not int. Use the type that the promise was created with."
    )
    await ledger.close()
  }

  @Test func decodingAsAnotherType() async throws {
    try await promise.fulfill("gone")
    let other = try ledger.promise(id: promise.id, of: Int.self)
    #expect(
      await error(.typeMismatch) { try await other.consume() }
        == "\(name) has a value of the type string, not int. Use the type that the promise was created with."
    )
    // Refused, it is not consumed.
    #expect(try await promise.consume() == "gone")
    await ledger.close()
  }

  @Test func anotherRole() async throws {
    let helper = try await temporary.open(as: .appExtension)
    try await promise.fulfill("gone")
    #expect(
      await error(.roleMayNotConsume) {
        try await helper.promise(id: promise.id, of: String.self).consume()
      }
        == "A session of the role appExtension may not consume promise \(promise.id). Read its outcome instead, and let the app consume it."
    )
    await helper.close()
    await ledger.close()
  }

  @Test func consumedTwice() async throws {
    try await promise.fulfill("gone")
    let other = try await temporary.open()
    _ = try await other.promise(id: promise.id, of: String.self).consume()
    let time = try #require(try await promise.record?.consumed?.time)
    #expect(
      await error(.alreadyConsumed) { try await promise.consume() }
        == "\(name) was consumed by session \(other.session) at \(time). Read its outcome without consuming it."
    )
    await other.close()
    await ledger.close()
  }

  @Test func aClosureThatRanAlready() async throws {
    try await promise.fulfill("gone")
    var runs = 0
    try await promise.consume { _ in runs += 1 }
    let time = try #require(try await promise.record?.consumed?.time)
    for _ in 0..<2 {
      #expect(
        await error(.alreadyConsumed) { try await promise.consume { _ in runs += 1 } }
          == "\(name) was consumed by this session at \(time). Read its outcome without consuming it."
      )
    }
    #expect(runs == 1)
    await ledger.close()
  }

  @Test func aKeyThatIsTooLong() async throws {
    #expect(
      await error(.invalidArgument) { try PromiseKey(String(repeating: "k", count: 513)) }
        == "The promise key has 513 bytes of UTF-8; it must have 1 to 512. Choose one that fits.")
    await ledger.close()
  }

  @Test func aPayloadThatIsTooLarge() async throws {
    #expect(
      await error(.payloadTooLarge) {
        try await promise.fulfill(String(repeating: "x", count: 2_000))
      }
        == "The outcome of promise \(promise.id) has 2002 bytes; the limit is 1000. Store it elsewhere and its name here, or raise the limit (maximumPayloadSizeInBytes)."
    )
    await ledger.close()
  }

  // MARK: Handlers

  @Test func aKindThatIsNotRegistered() async throws {
    #expect(
      await error(.handlerUnregistered) { try await ledger.createHandler(Unregistered.self) }
        == "The handler type Unregistered of the kind unregistered is not registered. Register it in the configuration's handlers before the ledger is opened."
    )
    await ledger.close()
  }

  @Test func anArgumentThatIsMissing() async throws {
    let handler = try await ledger.createHandler(Answer.self, ["promise": promise]).handler
    #expect(
      await error(.argumentMissing) { try await handler.call() }
        == "Handler \(handler.id) of the kind answer: the mandatory argument room (string) is missing. Bound: promise promise<string>. Given: nothing. Give it with the call, or bind it before."
    )
    // The call had no effect, so it can be repeated.
    try await handler.call(["room": "hall"])
    #expect(try await promise.consume() == "hall")
    await ledger.close()
  }

  // MARK: Sessions

  @Test func aDirectoryThatIsMissing() async throws {
    let parent = temporary.path + "-none"
    #expect(
      await error(.notFound) { try await Ledger.open(at: parent + "/ledger", as: .app) }
        == "The directory \(parent), which is to hold the ledger, does not exist. Create it first.")
    #expect(
      await error(.notALedger) { try await Ledger.inspect(at: parent + "/ledger") }
        == "\(parent)/ledger is not a ledger: nothing is there. Give the path of a ledger.")
    await ledger.close()
  }

  @Test func aFrozenSession() async throws {
    try await ledger.freeze()
    #expect(
      await error(.frozen) { try await promise.fulfill("gone") }
        == "The session of the ledger is frozen. Unfreeze it first, or let calls wait until then (waitsWhileFrozen)."
    )
    await ledger.close()
  }

  @Test func aClosedSession() async throws {
    await ledger.close()
    #expect(
      await error(.closed) { try await promise.fulfill("gone") }
        == "The session of the ledger was closed. Open the ledger again.")
  }

  /// Opening twice is no mistake: each is a session of its own, and neither takes outcomes that the
  /// other waits for.
  @Test func openedTwice() async throws {
    let other = try await temporary.open()
    #expect(other.session != ledger.session)
    #expect(other.id == ledger.id)
    #expect(try await other.openSessions().count == 2)
    #expect(try await other.stalePromises().isEmpty)
    await other.close()
    await ledger.close()
  }
}
