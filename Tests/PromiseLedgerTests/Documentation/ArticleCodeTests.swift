import Foundation
import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The code of the articles that have no file of their own here, run word for word.
@Suite(.timeLimit(.minutes(10)))
final class ArticleCodeTests: Sendable {
  private let temporary: TemporaryLedger
  private let server = Server()

  init() throws {
    temporary = try TemporaryLedger()
  }

  // MARK: Getting started

  @Test func anAppFreezesAndComesBack() async throws {
    let ledger = try await temporary.open()

    try await ledger.freeze()
    // The app is suspended, and comes back.
    try await ledger.unfreeze()

    #expect(try await ledger.openSessions().map(\.status) == [.open])
    await ledger.close()
  }

  // MARK: Chaining durable promises

  @MainActor @Test func aChainShowsItsOutcomes() async throws {
    let ledger = try await temporary.open()
    let avatar = try await ledger.createPromise(of: String.self)
    try await avatar.fulfill("avatar.png")
    await load(avatar, server).value
    #expect(shown == ["avatar.png and Juliet"])
    await ledger.close()
  }

  @Test func aCancellationReachesTheLedger() async throws {
    let ledger = try await temporary.open()
    let durable = try await ledger.createPromise(of: Void.self)
    let upload = durable.promise(cancelling: .ledger)
    upload.cancel("the user took it back")
    guard case .cancelled(let reason) = try await durable.outcome else {
      Issue.record("The durable promise is not cancelled.")
      return
    }
    #expect(reason == "the user took it back")
    await ledger.close()
  }

  @Test func aPlainFunctionReturnsAPromiseAtOnce() async throws {
    let ledger = try await temporary.open()
    func removeAvatar(of room: String) -> Promise<Void> {
      Promise {
        try await ledger.createPromise(of: Void.self, label: "Remove the avatar of \(room)")
      }
      .then { $0.promise }
    }
    let promise = removeAvatar(of: "room@example.org")
    for try await event in ledger.events() where event.kind == .promiseCreated { break }
    let records = try await ledger.unconsumedPromises()
    #expect(records.map(\.label) == ["Remove the avatar of room@example.org"])
    try await ledger.promise(id: records[0].id, of: Void.self).fulfill(())
    try await promise.value
    await ledger.close()
  }

  @Test func aPromiseInMemoryResolvesADurableOne() async throws {
    let ledger = try await temporary.open()
    let (durable, server) = (try await ledger.createPromise(of: Void.self), server)
    durable.resolve(from: Promise { try await server.removeAvatar() })
    try await durable.consume()
    await ledger.close()
  }

  // MARK: Sharing a ledger between processes

  @Test func anExtensionSeesTheAppOpen() async throws {
    let ledger = try await temporary.open(as: .appExtension)
    let app = try await temporary.open(as: .app)
    let standing = Task { try await standAside(ledger) }
    // The events after the head are those of an app that opens later.
    let apps = Task {
      while !Task.isCancelled { await (try await temporary.open(as: .app)).close() }
    }
    #expect(try await standing.value)
    apps.cancel()
    try await apps.value
    await app.close()
    await ledger.close()
  }

  private func standAside(_ ledger: Ledger) async throws -> Bool {
    let position = try await ledger.catchUp()
    let isAppOpen = try await ledger.openSessions().contains {
      $0.opened.role == .app && $0.status == .open
    }
    for try await event in ledger.events(after: position) {
      if try event.decode(as: SessionOpened.self)?.role == .app { break }
    }
    return isAppOpen
  }

  // MARK: Compacting

  @Test func aPlanIsCarriedOut() async throws {
    let ledger = try await temporary.open()
    let plan = try await ledger.plan()
    print("folds \(plan.eventsToFold) events, deletes \(plan.eventsToDelete)")
    let report = try await ledger.compact(plan)
    #expect(report.problem == nil)
    await ledger.close()
  }

  @Test func spaceIsGivenBack() async throws {
    let ledger = try await temporary.open()
    try await ledger.compact()
    let report = try await ledger.shrink()
    print("\(report.sizeInBytesBefore) bytes became \(report.sizeInBytes)")
    #expect(report.sizeInBytes <= report.sizeInBytesBefore)
    await ledger.close()
  }

  // MARK: Verifying recorded histories

  @Test func aHistoryIsExported() async throws {
    let path = temporary.path
    await (try await temporary.open()).close()
    let name = "\(temporary.path).jsonl"
    #expect(FileManager.default.createFile(atPath: name, contents: nil))
    let file = try #require(FileHandle(forWritingAtPath: name))
    let inspector = try await Ledger.inspect(at: path)
    try await inspector.export { piece in file.write(Data(piece)) }
    try file.close()
    let text = try String(contentsOfFile: name, encoding: .utf8)
    #expect(text.hasPrefix("{\"type\":\"header\""))
  }

  /// It is compiled only, since there is no such fixture.
  private func verifyTheHistoryOfVersion1() throws {
    let verifier = ReplayVerifier(.archives(["Tests/Fixtures/version-1.jsonl"]))
    let verification = try verifier.run()
    #expect("\(verification.stateDigest)" == "the digest that you wrote down")
  }
}

private struct Server {
  func friends() async throws -> String { "Juliet" }
  func removeAvatar() async throws {}
}

// MARK: - The page of the article on chains

@MainActor private var shown: [String] = []

@MainActor private func load(_ avatar: DurablePromise<String>, _ api: Server) -> Guarantee<Void> {
  Promise.all(avatar.promise, Promise { try await api.friends() })
    .timeout(.seconds(30))
    .done(on: .main) { avatar, friends in show(avatar, friends) }
    .catch(on: .main) { error in show(error) }
}

@MainActor private func show(_ avatar: String, _ friends: String) {
  shown.append("\(avatar) and \(friends)")
}

@MainActor private func show(_ error: any Error) { shown.append("\(error)") }
