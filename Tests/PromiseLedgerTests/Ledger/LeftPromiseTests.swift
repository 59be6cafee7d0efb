import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Which promises are left behind, and for which of several apps.
@Suite(.timeLimit(.minutes(5)))
struct LeftPromiseTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  private func open(
    _ instance: String, as role: SessionRole = .app,
    _ policy: LedgerConfiguration.StalePromisePolicy = .keep
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.instance = instance
    configuration.stalePromisePolicy = policy
    return try await temporary.open(as: role, configuration: configuration)
  }

  /// A promise, resolved unless told otherwise, that a session of an instance leaves behind.
  private func leavePromise(
    of instance: String, as role: SessionRole = .app, isResolved: Bool = true
  ) async throws -> PromiseID {
    let ledger = try await open(instance, as: role)
    let promise = try await ledger.createPromise(of: Int.self)
    if isResolved { try await promise.fulfill(1) }
    await ledger.close()
    return promise.id
  }

  // MARK: Stale promises of two apps

  @Test func eachAppIsOfferedItsOwn() async throws {
    let chat = try await leavePromise(of: "chat")
    let mail = try await leavePromise(of: "mail")
    let helper = try await leavePromise(of: "chat", as: .appExtension)
    let app = try await open("chat")
    #expect(app.instance == "chat")
    #expect(try await app.stalePromises().map(\.id) == [chat, helper])
    #expect(try await app.stalePromises(of: .own).map(\.id) == [chat, helper])
    #expect(try await app.stalePromises(of: .named("mail")).map(\.id) == [mail])
    #expect(try await app.stalePromises(of: .all).map(\.id) == [chat, mail, helper])
    #expect(try await app.stalePromises(of: .named("news")).isEmpty)
    await app.close()
  }

  @Test func updatesLeaveTheOtherAppItsPromises() async throws {
    let mail = try await open("mail")
    let theirs = try await mail.createPromise(of: Int.self)
    let app = try await open("chat")
    var own = app.stalePromiseUpdates.makeAsyncIterator()
    var all = app.stalePromiseUpdates(of: .all).makeAsyncIterator()
    try await theirs.fulfill(1)
    await mail.close()
    #expect(try await all.next()?.id == theirs.id)
    let ours = try await leavePromise(of: "chat")
    #expect(try await own.next()?.id == ours)
    #expect(try await all.next()?.id == ours)
    await app.close()
  }

  @Test func thePolicyAtTheStartGoesByTheSameRule() async throws {
    let chat = try await leavePromise(of: "chat")
    let mail = try await leavePromise(of: "mail")
    let app = try await open("chat", .abandonFulfilled)
    #expect(try await app.record(of: chat)?.status == .abandoned)
    #expect(try await app.record(of: mail)?.status == .resolved)
    await app.close()
  }

  @Test func aRecordSaysWhichAppCreatedThePromise() async throws {
    let mail = try await leavePromise(of: "mail")
    let app = try await open("chat")
    let promise = try await app.createPromise(of: Int.self)
    #expect(try await app.record(of: mail)?.creatorInstance == "mail")
    #expect(try await promise.record?.creatorInstance == "chat")
    #expect(try await app.unconsumedPromises().map(\.creatorInstance) == ["mail", "chat"])
    #expect(try await promise.fulfill(1).record?.creatorInstance == "chat")
    #expect(try await promise.fulfill(2).record?.creatorInstance == "chat")
    // Also from the snapshot.
    try await app.compact(.foldOnly)
    await app.close()
    let inspector = try BlockingInspector(at: temporary.path)
    var instances: [String?] = []
    try inspector.withReplay { replayed in
      #expect(try replayed.record(of: mail)?.creatorInstance == "mail")
      try replayed.forEachPromise { record in
        instances.append(record.creatorInstance)
        return true
      }
    }
    #expect(instances == ["mail", "chat"])
    inspector.close()
  }

  // MARK: Promises that will never be settled

  @Test func aPendingPromiseOfALostCreatorIsOrphaned() async throws {
    let lost = try await leavePromise(of: "chat", isResolved: false)
    let helper = try await open("chat", as: .appExtension)
    let early = try await helper.createPromise(of: Int.self)
    let timed = try await helper.createPromise(
      of: Int.self, deadline: SystemLedgerClock().now() + .seconds(3_600))
    let app = try await open("chat")
    let living = try await app.createPromise(of: Int.self)
    #expect(try await app.orphanedPromises().map(\.id) == [lost, early.id])
    #expect(try await app.orphanedPromises(of: .named("mail")).isEmpty)
    try await early.fulfill(1)
    _ = try await app.abandon(lost, reason: "forgotten")
    #expect(try await app.orphanedPromises().isEmpty)
    await app.close()
    #expect(try await helper.orphanedPromises().map(\.id) == [living.id])
    #expect(try await helper.record(of: timed.id)?.status == .pending)
    await helper.close()
  }

  @Test func aHandlerThatCanBeCalledWillSettleIts() async throws {
    let ledger = try await temporary.open(as: .appExtension) { registry in
      try registry.register(Scripted.self) { Scripted.Script() }
    }
    let (called, withdrawn) = (
      try await ledger.createPromise(of: Int.self), try await ledger.createPromise(of: Int.self)
    )
    let handler = try await ledger.createHandler(Scripted.self, ["promise": called]).handler
    let other = try await ledger.createHandler(Scripted.self, ["promise": withdrawn]).handler
    #expect(try await ledger.orphanedPromises().isEmpty)
    // Its code returns without settling the promise.
    try await handler.call()
    #expect(try await ledger.orphanedPromises().map(\.id) == [called.id])
    try await other.invalidate()
    #expect(try await ledger.orphanedPromises().map(\.id) == [called.id, withdrawn.id])
    await ledger.close()
  }
}
