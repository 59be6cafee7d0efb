import Foundation
import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// The code of the article *Handlers*: every block of it is in this file, and is run.
@Suite(.timeLimit(.minutes(10)))
struct HandlersArticleTests {
  private let temporary: TemporaryLedger
  private let chat = Chat()

  init() throws {
    temporary = try TemporaryLedger()
  }

  @Test func theRefusalReachesTheView() async throws {
    let (path, room, request) = (temporary.path, "room@example.org", "iq-1")
    let promise = try await ask(path, room, request)
    let refusal = Refusal(text: "Only owners may change the avatar.")
    try await answer(path, Stanza(id: request, refusal: refusal))
    try await expect(promise, in: path) { outcome in
      guard case .rejected(let error) = outcome else { return false }
      return error.decode(as: Refusal.self) == refusal
    }
    #expect(await chat.forgotten.isEmpty)
  }

  @Test func theSuccessReachesTheView() async throws {
    let (path, room, request) = (temporary.path, "room@example.org", "iq-1")
    let promise = try await ask(path, room, request)
    try await answer(path, Stanza(id: request, refusal: nil))
    try await expect(promise, in: path) { outcome in
      if case .fulfilled = outcome { true } else { false }
    }
    #expect(await chat.forgotten == [room])
  }

  private func ask(_ path: String, _ room: String, _ request: String) async throws -> PromiseID {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(AvatarRemoved.self) { chat }
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    let promise = try await ledger.batch { batch in
      let promise = try batch.createPromise(of: Void.self, label: "Remove the avatar")
      try batch.createHandler(
        AvatarRemoved.self, ["room": room, "promise": promise], key: HandlerKey(request),
        scopes: ["account-1"])
      return promise
    }
    await ledger.close()
    return promise.id
  }

  private func answer(_ path: String, _ stanza: Stanza) async throws {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(AvatarRemoved.self) { chat }
    let ledger = try await Ledger.open(at: path, as: .appExtension, configuration: configuration)
    try await ledger.handler(forKey: HandlerKey(stanza.id)).call(["stanza": stanza])
    await ledger.close()
  }

  private func expect(
    _ id: PromiseID, in path: String, _ isRight: (PromiseOutcome<Void>) -> Bool
  ) async throws {
    let ledger = try await Ledger.open(at: path, as: .app)
    #expect(try await ledger.stalePromises().map(\.id) == [id])
    let promise = try ledger.promise(id: id, of: Void.self)
    try await promise.consume { outcome in #expect(isRight(outcome)) }
    await ledger.close()
  }

  @Test func theCompilerChecksTheArguments() async throws {
    let (chat, room, request) = (chat, "room@example.org", "iq-1")
    let ledger = try await temporary.open { try $0.register(RoomJoined.self) { chat } }
    let (promise, handler) = try await ledger.batch { batch in
      let promise = try batch.createPromise(of: Void.self)
      let handler =
        try batch.createHandler(RoomJoined(room: room, promise: promise), key: HandlerKey(request))
      return (promise, handler)
    }
    try await handler.call(as: RoomJoined.self, binding: .init(role: "owner"))
    try await promise.consume()
    #expect(await chat.roles == [room: "owner"])
    await ledger.close()
  }

  @Test func loggingOutWaitsForNothing() async throws {
    let (path, room) = (temporary.path, "room@example.org")
    let promise = try await ask(path, room, "iq-1")
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(AvatarRemoved.self) { chat }
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    try await ledger.invalidateAll(scope: "account-1", ["why": "You logged out."])
    let outcome = try await ledger.promise(id: promise, of: Void.self).outcome
    guard case .cancelled(let reason) = outcome else {
      Issue.record("not cancelled: \(outcome)")
      return
    }
    #expect(reason == "You logged out.")
    await ledger.close()
  }

  @Test func callsOfTheDeadAndProblemsAreListed() async throws {
    let chat = chat
    let temporary = temporary
    let ledger = try await temporary.open { try $0.register(BundleFetched.self) { chat } }
    let handler = try await ledger.createHandler(
      BundleFetched.self, ["device": UInt32(7)], repetition: .repeating
    ).handler
    try await handler.call(["errorText": "gone"])
    #expect(await chat.encryption.problems == [7: "gone"])
    // Cancelled before or while it runs; if it ran, it is given back.
    let cancelled = Task { try await handler.call() }
    cancelled.cancel()
    _ = await cancelled.result
    for call in try await ledger.unfinishedCalls() {
      try await ledger.retry(call)
    }
    await ledger.close()
    try await callsOfAnotherBuildAreProblems()
  }

  private func callsOfAnotherBuildAreProblems() async throws {
    let chat = chat
    _ = try await temporary.createElsewhere(BundleFetched.self, ["device": "seven"])
    let ledger = try await temporary.open { try $0.register(BundleFetched.self) { chat } }
    for problem in try await ledger.preflight() {
      print(problem.handler, problem.error)
    }
    #expect(try await ledger.preflight().map(\.error.code) == [.argumentMismatch])
    await ledger.close()
  }

  @Test func theContextIsMadeOfTheAccount() async throws {
    let accounts = [Account(scope: "account-1"), Account(scope: "account-2")]
    let (stanza, account) = (Stanza(id: "iq-1", refusal: nil), accounts[1])
    let ledger = try await temporary.open { registry in
      try registry.register(Seen.self, with: Account.self) { account, handler in
        guard let account = account ?? accounts.first(of: handler.scopes) else { throw LoggedOut() }
        return account
      }
    }
    try await ledger.createHandler(Seen.self, key: HandlerKey("iq-1"), repetition: .repeating)
    try await ledger.handler(forKey: HandlerKey(stanza.id)).call(["stanza": stanza], with: account)
    await #expect(throws: LoggedOut.self) {
      try await ledger.handler(forKey: HandlerKey(stanza.id)).call(["stanza": stanza])
    }
    let scoped = try await ledger.createHandler(Seen.self, scopes: ["account-1"]).handler
    try await scoped.call(["stanza": stanza])
    #expect(await accounts[0].seen == ["iq-1"])
    #expect(await accounts[1].seen == ["iq-1"])
    await ledger.close()
  }

  @Test func aFailureRejectsThePromisesThatTheTypeNames() async throws {
    let chat = chat
    let ledger = try await temporary.open { registry in
      try registry.register(Sync.self) { chat }
      try registry.register(Prefetch.self) { chat }
    }
    let started = try await ledger.createPromise(of: Void.self)
    let finished = try await ledger.createPromise(of: Void.self)
    let sync = try await ledger.createHandler(
      Sync.self, ["started": started, "finished": finished]
    ).handler
    let prefetch = try await ledger.createHandler(Prefetch.self, ["promise": started]).handler
    await #expect(throws: Refusal.self) { try await sync.call() }
    await #expect(throws: Refusal.self) { try await prefetch.call() }
    #expect(try await started.record?.status == .pending)
    #expect(try await finished.record?.status == .resolved)
    await ledger.close()
  }

  // MARK: The article and this file

  @Test func everyBlockOfTheArticleStandsInThisFile() throws {
    let file = URL(fileURLWithPath: #filePath)
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/PromiseLedger/PromiseLedger.docc/Handlers.md")
    let source = Self.lines(try String(contentsOf: file, encoding: .utf8))
    let blocks = Self.blocks(try String(contentsOf: article, encoding: .utf8))
    #expect(blocks.count == 15)
    for block in blocks {
      let isThere = source.indices.contains { source[$0...].starts(with: block) }
      #expect(isThere, "\(block.joined(separator: "\n"))")
    }
  }

  /// The lines of each block of Swift, without their indentation.
  private static func blocks(_ article: String) -> [[String]] {
    article.components(separatedBy: "```swift\n").dropFirst().map { part in
      lines(part.components(separatedBy: "```")[0].trimmingCharacters(in: .newlines))
    }
  }

  private static func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

// MARK: - The declarations of the article

struct AvatarRemoved: LedgerHandler {
  static let kind = "avatar-removed"

  let room: String
  let promise: DurablePromise<Void>
  let stanza: Stanza

  func run(in call: HandlerCall<Chat>) async throws {
    if let refusal = stanza.refusal {
      try call.reject(promise, refusal)
    } else {
      await call.context.forgetAvatar(of: room)
      try call.fulfill(promise, ())
    }
  }
}

extension AvatarRemoved {
  struct Invalidation: Codable, Sendable {
    let promise: DurablePromise<Void>
    let why: String?
  }

  static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Chat>) throws {
    try call.cancel(parameters.promise, reason: parameters.why ?? "")
  }
}

struct RoomJoined: LedgerHandler {
  struct Binding: Encodable, Sendable {
    var role: String?
  }

  static let kind = "room-joined"

  let room: String
  let promise: DurablePromise<Void>
  var role: String?

  func run(in call: HandlerCall<Chat>) async throws {
    await call.context.noteRole(role ?? "visitor", in: room)
    try call.fulfill(promise, ())
  }
}

struct Sync: LedgerHandler {
  static let kind = "sync"

  let started: DurablePromise<Void>
  let finished: DurablePromise<Void>

  func run(in call: HandlerCall<Chat>) throws { throw Refusal(text: "offline") }
}

struct Prefetch: LedgerHandler {
  static let kind = "prefetch"

  let promise: DurablePromise<Void>

  func run(in call: HandlerCall<Chat>) throws { throw Refusal(text: "offline") }
}

extension Sync {
  static var onFailure: HandlerFailurePolicy { .rejectPromise(named: "finished") }
}

extension Prefetch {
  static var onFailure: HandlerFailurePolicy { .recordOnly }
}

struct BundleFetched: LedgerInstanceHandler {
  static let kind = "bundle-fetched"

  let device: UInt32
  let errorText: String?

  func instance(in chat: Chat) -> Encryption? { chat.encryption }

  func run(on encryption: Encryption, in call: HandlerCall<Chat>) async {
    await encryption.noteBundle(of: device, problem: errorText)
  }
}

struct Seen: LedgerHandler {
  static let kind = "seen"

  let stanza: Stanza

  func run(in call: HandlerCall<Account>) async { await call.context.see(stanza) }
}

// MARK: - The declarations of the app

actor Account {
  let scope: String
  private(set) var seen: [String] = []

  init(scope: String) { self.scope = scope }
  func see(_ stanza: Stanza) { seen.append(stanza.id) }
}

extension [Account] {
  fileprivate func first(of scopes: [String]) -> Account? { first { scopes.contains($0.scope) } }
}

struct LoggedOut: Error {}

struct Stanza: Codable, Sendable {
  let id: String
  let refusal: Refusal?
}

struct Refusal: Error, Codable, Equatable, Sendable {
  let text: String
}

actor Chat {
  let encryption = Encryption()
  private(set) var forgotten: [String] = []
  private(set) var roles: [String: String] = [:]

  func forgetAvatar(of room: String) { forgotten.append(room) }
  func noteRole(_ role: String, in room: String) { roles[room] = role }
}

actor Encryption {
  private(set) var problems: [UInt32: String] = [:]

  func noteBundle(of device: UInt32, problem: String?) { problems[device] = problem }
}
