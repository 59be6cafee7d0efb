import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

/// The code of the article *Getting started*, run word for word.
@Suite(.timeLimit(.minutes(10)))
final class GettingStartedTests: Sendable {
  /// The text that the app of the article shows.
  private let shown = Mutex<[String]>([])

  private func show(_ text: String) {
    shown.withLock { $0.append(text) }
  }

  @Test func outcomeReachesTheAppThatWasFrozen() async throws {
    let temporary = try TemporaryLedger()
    let path = temporary.path

    let ledger = try await Ledger.open(at: path, as: .app)
    let promise = try await ledger.findOrCreatePromise(
      key: PromiseKey("avatar/room@example.org"), of: Void.self,
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
    _ = try await killed.findOrCreatePromise(
      key: PromiseKey("avatar/room@example.org"), of: Void.self, label: "Remove the avatar")
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

  @Test func manyAreCreatedSideBySide() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let promises = try await withThrowingTaskGroup(of: DurablePromise<Int>.self) { group in
      for _ in 0..<1_000 { group.addTask { try await ledger.createPromise() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(promises.map(\.id)).count == 1_000)
    await ledger.close()
  }

  @Test func aFewAreCreatedSideBySide() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    async let order = ledger.createPromise(of: Int.self, label: "Order")
    async let receipt = ledger.createPromise(of: String.self, label: "Receipt")
    let (orderPromise, receiptPromise) = try await (order, receipt)
    #expect(orderPromise.id != receiptPromise.id)
    await ledger.close()
  }

  @Test func aTaskMayStayOnTheThreadThatCommits() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let answer = try await Task(executorPreference: ledger.taskExecutor) {
      let promise = try await ledger.createPromise(of: Int.self)
      try await promise.fulfill(42)
      return try await promise.consume()
    }.value
    #expect(answer == 42)
    await ledger.close()
  }

  private struct ChatError: LocalizedError, Codable {
    let isTemporary: Bool
    var errorDescription: String? { "The room is closed." }
  }

  private func offerToTryAgain() { show("Try again?") }

  private func showAnswer(_ answer: DurablePromise<String>) async {
    do {
      show(try await answer.consume())
    } catch {
      guard !error.isCancellation else { return }
      show(error.localizedDescription)
      if let refusal = error.stored(as: ChatError.self), refusal.isTemporary { offerToTryAgain() }
    }
  }

  @Test func errorsAreShown() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let answer = try await ledger.createPromise(
      of: String.self, deadline: ledger.now + .seconds(30))
    try await answer.reject(ChatError(isTemporary: true))
    await showAnswer(answer)
    let other = try await ledger.createPromise(of: String.self)
    try await other.cancel()
    await showAnswer(other)
    await ledger.close()
    #expect(shown.withLock { $0 } == ["The room is closed.", "Try again?"])
  }

  @Test func timersFire() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let date = Date(timeIntervalSinceNow: -1)
    let reminder = try await ledger.createTimer(
      key: PromiseKey("reminder/tea"), until: Timestamp(date), label: "Tea")
    try await reminder.consume()
    #expect(try await reminder.record?.status == .consumed)
    await ledger.close()
  }

  @Test func spinnersEnd() async throws {
    let temporary = try TemporaryLedger()
    let killed = try await temporary.open()
    let promise = try await killed.createPromise(of: String.self)
    await killed.close()
    let ledger = try await temporary.open()

    for record in try await ledger.orphanedPromises() {
      try await ledger.resolve(record.id, with: .cancelled(reason: "The answer got lost."))
    }
    let found = try ledger.promise(id: promise.id, of: String.self)
    #expect(try await found.outcome == .cancelled(reason: "The answer got lost."))
    await ledger.close()
  }

  private func rejectInExtension(_ path: String) async throws {
    let ledger = try await Ledger.open(at: path, as: .appExtension)
    let promise = try await ledger.findOrCreatePromise(
      key: PromiseKey("avatar/room@example.org"), of: Void.self)
    try await promise.reject(
      StoredError(domain: "chat", code: 403, message: "Only owners may change the avatar."))
    await ledger.close()
  }
}
