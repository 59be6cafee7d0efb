import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

/// The code of the article *Getting started*, run as it stands there.
@Suite(.timeLimit(.minutes(10)))
final class GettingStartedTests: Sendable {
  /// What the app of the article shows.
  private let shown = Mutex<[String]>([])

  private func show(_ text: String) {
    shown.withLock { $0.append(text) }
  }

  @Test func outcomeReachesTheAppThatWasFrozen() async throws {
    let temporary = try TemporaryLedger()
    let path = temporary.path

    let ledger = try await Ledger.open(at: path, as: .app)
    let promise = try await ledger.promise(
      forKey: PromiseKey("avatar/room@example.org"), of: Void.self,
      label: "Remove the avatar of the room")

    try await ledger.freeze()
    try await rejectInExtension(path)
    try await ledger.unfreeze()

    try await promise.consume { outcome in
      switch outcome {
      case .fulfilled: show("The avatar is removed.")
      case .rejected(let error): show(error.message)
      case .cancelled(let reason): show(reason)
      case .timedOut: show("No answer came in time.")
      }
    }
    await ledger.close()
    #expect(shown.withLock { $0 } == ["Only owners may change the avatar."])
  }

  @Test func outcomeReachesTheAppThatWasStartedAnew() async throws {
    let temporary = try TemporaryLedger()
    let path = temporary.path
    let killed = try await Ledger.open(at: path, as: .app)
    _ = try await killed.promise(
      forKey: PromiseKey("avatar/room@example.org"), of: Void.self, label: "Remove the avatar")
    await killed.close()
    try await rejectInExtension(path)
    let ledger = try await Ledger.open(at: path, as: .app)

    for record in try await ledger.stalePromises() {
      let promise = try ledger.promise(id: record.id, of: Void.self)
      try await promise.consume { outcome in show("\(record.label ?? ""): \(outcome)") }
    }
    await ledger.close()
    #expect(shown.withLock { $0.count } == 1)
    #expect(shown.withLock { $0.first }?.hasPrefix("Remove the avatar: rejected(") == true)
  }

  private func rejectInExtension(_ path: String) async throws {
    let ledger = try await Ledger.open(at: path, as: .appExtension)
    let promise = try await ledger.promise(
      forKey: PromiseKey("avatar/room@example.org"), of: Void.self)
    try await promise.reject(
      StoredError(domain: "chat", code: 403, message: "Only owners may change the avatar."))
    await ledger.close()
  }
}
