import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Three handlers as a chat client has them, each waiting for the answer to a request.
@Suite(.timeLimit(.minutes(10)))
struct ChatExampleTests {
  // MARK: The client

  /// An answer of the server.
  struct Stanza: Codable, Sendable {
    var type = "result"
    var from: String?
    var errorCondition: String?
    var errorText: String?

    static func error(_ condition: String, _ text: String? = nil) -> Stanza {
      Stanza(type: "error", errorCondition: condition, errorText: text)
    }
  }

  struct ServerRefusal: Error, Codable, Equatable, Sendable {
    let condition: String
    let text: String?
  }

  /// The connection of one account. The app supplies it, and it is never stored.
  final class Account: Sendable {
    private struct Contents {
      var usesCarbons = false
      var log: [String] = []
      var omemo: Encryption?
    }

    private let contents: Mutex<Contents>

    init(omemo: Encryption? = nil) {
      contents = Mutex(Contents(omemo: omemo))
    }

    var usesCarbons: Bool { contents.withLock { $0.usesCarbons } }
    var log: [String] { contents.withLock { $0.log } }
    var omemo: Encryption? {
      get { contents.withLock { $0.omemo } }
      set { contents.withLock { $0.omemo = newValue } }
    }

    func enableCarbons() { contents.withLock { $0.usesCarbons = true } }
    func report(_ line: String) { contents.withLock { $0.log.append(line) } }
  }

  /// The part of an account that encrypts.
  final class Encryption: Sendable {
    private let contents = Mutex<[String]>([])
    var events: [String] { contents.withLock { $0 } }
    func note(_ event: String) { contents.withLock { $0.append(event) } }
  }

  // MARK: The handlers

  /// Needs nothing but the account: elsewhere this is a class method.
  struct CarbonsEnabled: LedgerHandler {
    static let kind = "carbons-enabled"
    let stanza: Stanza

    func run(in call: HandlerCall<Account>) {
      guard stanza.type != "error" else {
        call.context.report("carbons: \(stanza.errorCondition ?? "unknown")")
        return
      }
      call.context.enableCarbons()
    }
  }

  /// Works on `account.omemo`; the device is bound when the request is sent.
  struct BundleFetched: LedgerInstanceHandler {
    static let kind = "omemo-bundle-fetched"
    let jid: String
    let device: UInt32
    let success: Bool
    let errorStanza: Stanza?
    let errorReason: String?
    let bundle: [String: [UInt8]]?

    func instance(in account: Account) -> Encryption? { account.omemo }

    func run(on omemo: Encryption, in call: HandlerCall<Account>) {
      if success, let bundle {
        omemo.note("bundle of \(jid)/\(device): \(bundle.keys.sorted())")
      } else {
        let why = errorReason ?? errorStanza?.errorCondition ?? "no reason"
        omemo.note("no bundle of \(jid)/\(device): \(why)")
      }
    }
  }

  /// Has a promise that a view waits for, and ends it also if the answer will never come.
  struct AvatarRemoved: LedgerHandler {
    struct Invalidation: Codable, Sendable {
      let room: String
      let promise: DurablePromise<String>
      let why: String?
    }

    static let kind = "muc-avatar-removed"
    let room: String
    let promise: DurablePromise<String>
    let stanza: Stanza

    func run(in call: HandlerCall<Account>) throws {
      if stanza.type == "error" {
        let refusal = ServerRefusal(
          condition: stanza.errorCondition ?? "undefined-condition", text: stanza.errorText)
        try call.reject(promise, refusal)
      } else {
        try call.fulfill(promise, "no avatar in \(room)")
      }
    }

    static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Account>) throws {
      call.context.report("gave up on the avatar of \(parameters.room)")
      try call.cancel(parameters.promise, reason: parameters.why ?? "")
    }
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(_ account: Account, as role: SessionRole = .app) async throws -> Ledger {
    try await temporary.open(as: role) { registry in
      try registry.register(CarbonsEnabled.self) { account }
      try registry.register(BundleFetched.self) { account }
      try registry.register(AvatarRemoved.self) { account }
    }
  }

  // MARK: Enabling carbons

  @Test func carbonsAreEnabledWhenTheServerSaysSo() async throws {
    let account = Account()
    let ledger = try await open(account)
    try await ledger.createHandler(CarbonsEnabled.self, key: HandlerKey("iq-1"))
    try await ledger.handler(forKey: HandlerKey("iq-1")).call(["stanza": Stanza()])
    #expect(account.usesCarbons && account.log.isEmpty)
    await ledger.close()
  }

  @Test func carbonsStayOffWhenTheServerRefuses() async throws {
    let account = Account()
    let ledger = try await open(account)
    try await ledger.createHandler(CarbonsEnabled.self, key: HandlerKey("iq-1"))
    let handler = ledger.handler(forKey: try HandlerKey("iq-1"))
    await expectError(.argumentMissing, naming: ["stanza (Stanza)"]) { try await handler.call() }
    try await handler.call(["stanza": Stanza.error("service-unavailable")])
    #expect(!account.usesCarbons && account.log == ["carbons: service-unavailable"])
    // The error is an answer as good as any: the handler is spent.
    await expectError(.handlerFinished) { try await handler.call(["stanza": Stanza()]) }
    await ledger.close()
  }

  // MARK: Fetching a bundle

  @Test func aBundleGoesToTheInstance() async throws {
    let account = Account(omemo: Encryption())
    let ledger = try await open(account)
    let handler = try await ledger.createHandler(
      BundleFetched.self, ["jid": "juliet@example.org", "device": UInt32(77)]
    ).handler
    try await handler.call([
      "success": true, "bundle": ["identityKey": [1, 2, 3] as [UInt8]],
    ])
    #expect(account.omemo?.events == ["bundle of juliet@example.org/77: [\"identityKey\"]"])
    await ledger.close()
  }

  @Test(arguments: [
    (nil, nil, "no reason"),
    (Stanza.error("item-not-found"), nil, "item-not-found"),
    (Stanza.error("item-not-found"), "timed out", "timed out"),
  ])
  func aMissingBundleHasTheAvailableReason(
    stanza: Stanza?, reason: String?, why: String
  ) async throws {
    let account = Account(omemo: Encryption())
    let ledger = try await open(account)
    // The device is narrower than the parameter here, which widens it.
    let handler = try await ledger.createHandler(
      BundleFetched.self, ["jid": "juliet@example.org", "device": UInt16(77)]
    ).handler
    try await handler.call(["success": false, "errorStanza": stanza, "errorReason": reason])
    #expect(account.omemo?.events == ["no bundle of juliet@example.org/77: \(why)"])
    await ledger.close()
  }

  @Test func withoutTheInstanceTheHandlerStays() async throws {
    let account = Account()
    let ledger = try await open(account)
    let handler = try await ledger.createHandler(
      BundleFetched.self, ["jid": "juliet@example.org", "device": UInt32(77)]
    ).handler
    await expectError(.instanceNotFound, naming: ["\(handler.id)", BundleFetched.kind]) {
      try await handler.call(["success": false])
    }
    #expect(try await handler.record?.status == .active)
    #expect(try await ledger.unfinishedCalls().isEmpty)
    account.omemo = Encryption()
    try await handler.call(["success": false])
    #expect(account.omemo?.events.count == 1)
    await ledger.close()
  }

  // MARK: Removing the avatar of a room

  @Test func theViewGetsTheServersRefusalFromTheExtension() async throws {
    let app = try await open(Account())
    let promise = try await app.createPromise(of: String.self)
    try await app.createHandler(
      AvatarRemoved.self, ["room": "room@example.org", "promise": promise],
      key: HandlerKey("iq-7"))
    try await app.freeze()

    let pushed = try await open(Account(), as: .appExtension)
    let result = try await pushed.handler(forKey: HandlerKey("iq-7")).call([
      "stanza": Stanza.error("forbidden", "Only owners may.")
    ])
    #expect(result.effects.map(\.verdict) == [.done])
    await pushed.close()

    try await app.unfreeze()
    try await promise.consume { outcome in
      guard case .rejected(let error) = outcome else {
        Issue.record("not rejected: \(outcome)")
        return
      }
      let refusal = error.decode(as: ServerRefusal.self)
      #expect(refusal == ServerRefusal(condition: "forbidden", text: "Only owners may."))
    }
    await app.close()
  }

  @Test func theViewGetsItsValue() async throws {
    let ledger = try await open(Account())
    let promise = try await ledger.createPromise(of: String.self)
    let handler = try await ledger.createHandler(
      AvatarRemoved.self, ["room": "room@example.org", "promise": promise]
    ).handler
    try await handler.call(["stanza": Stanza(from: "room@example.org")])
    #expect(try await promise.consume() == "no avatar in room@example.org")
    await ledger.close()
  }

  @Test func invalidationEndsTheWait() async throws {
    let account = Account()
    let ledger = try await open(account)
    let promise = try await ledger.createPromise(of: String.self)
    try await ledger.createHandler(
      AvatarRemoved.self, ["room": "room@example.org", "promise": promise], key: HandlerKey("iq"),
      scopes: ["account-1"])
    let report = try await ledger.invalidateAll(scope: "account-1", ["why": "logged out"])
    #expect(report.invalidated.count == 1)
    #expect(try await promise.outcome == .cancelled(reason: "logged out"))
    #expect(account.log == ["gave up on the avatar of room@example.org"])
    await expectError(.handlerInvalidated) {
      try await ledger.handler(forKey: HandlerKey("iq")).call(["stanza": Stanza()])
    }
    await ledger.close()
  }
}
