import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// The code of the README, run word for word.
@Suite(.timeLimit(.minutes(10)))
final class ReadmeTests: Sendable {
  private let temporary: TemporaryLedger
  private let chat = Chat()
  private let serverError = StoredError(domain: "chat", code: 403, message: "forbidden")

  /// The text that the app shows.
  private let shown = Mutex<[String]>([])

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func show(_ outcome: PromiseOutcome<Void>) {
    guard case .rejected(let error) = outcome else { return }
    shown.withLock { $0.append(error.message) }
  }

  @Test func theAnswerOfTheExtensionReachesTheApp() async throws {
    async let app: Void = runApp(at: temporary.path)
    try await runExtension(at: temporary.path)
    try await app
    #expect(shown.withLock { $0 } == ["forbidden"])
  }

  private func runApp(at path: String) async throws {
    let ledger = try await Ledger.open(at: path, as: .app)
    let avatar = try PromiseKey("avatar/room@example.org")
    let promise = try await ledger.findOrCreatePromise(key: avatar, of: Void.self)
    try await promise.consume { outcome in show(outcome) }
    await ledger.close()
  }

  private func runExtension(at path: String) async throws {
    let ledger = try await Ledger.open(at: path, as: .appExtension)
    let avatar = try PromiseKey("avatar/room@example.org")
    let promise = try await ledger.findOrCreatePromise(key: avatar, of: Void.self)
    try await promise.reject(serverError)
    await ledger.close()
  }

  @Test func theHandlerResolvesThePromise() async throws {
    let chat = chat
    let ledger = try await temporary.open { try $0.register(AvatarRemoved.self) { chat } }
    let stanza = Stanza(id: "iq-1", refusal: nil)
    let promise = try await ask(about: "room@example.org", request: stanza, ledger)
    try await answer(stanza, ledger)
    try await promise.consume()
    #expect(await chat.forgotten == ["room@example.org"])
    await ledger.close()
  }

  private func ask(
    about room: String, request: Stanza, _ ledger: Ledger
  ) async throws -> DurablePromise<Void> {
    // In the app, with the request: the promise and its handler, in one commit
    let promise = try await ledger.batch { batch in
      let promise = try batch.createPromise(of: Void.self, label: "Remove the avatar")
      try batch.createHandler(
        AvatarRemoved.self, ["room": room, "promise": promise], key: HandlerKey(request.id))
      return promise
    }
    return promise
  }

  private func answer(_ stanza: Stanza, _ ledger: Ledger) async throws {
    // In its extension, with the answer: runs the code of AvatarRemoved, which resolves the promise
    try await ledger.handler(forKey: HandlerKey(stanza.id)).call(["stanza": stanza])
  }
}
