import PromiseLedger
import PromiseLedgerTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TwoSessionTests {
  struct ServerError: Error, Codable, Equatable {
    let code: Int
  }

  @Test func appGetsTheValueThatAnExtensionResolvedWith() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let helper = try await temporary.open(as: .appExtension)
    let promise = try await app.createPromise(of: String.self, label: "avatar")
    async let value = promise.consume()
    let resolution = try await helper.promise(id: promise.id, of: String.self).fulfill("gone")
    #expect(resolution.isSuccess)
    #expect(try await value == "gone")
    #expect(try await promise.record?.status == .consumed)
    await app.close()
    await helper.close()
  }

  @Test func extensionMayNotConsume() async throws {
    let temporary = try TemporaryLedger()
    let helper = try await temporary.open(as: .appExtension)
    let promise = try await helper.createPromise(of: Int.self)
    try await promise.fulfill(3)
    await #expect { _ = try await promise.consume() } throws: {
      ($0 as? LedgerError)?.code == .roleMayNotConsume
    }
    #expect(try await promise.outcome == .fulfilled(3))
    #expect(try await promise.record?.status == .resolved)
    await helper.close()
  }

  @Test func theBodyOfARoleThatMayNotConsumeDoesNotRun() async throws {
    let temporary = try TemporaryLedger()
    let helper = try await temporary.open(as: .appExtension)
    let promise = try await helper.createPromise(of: Int.self)
    try await promise.fulfill(3)
    await #expect {
      try await promise.consume { _ in Issue.record("the body ran") }
    } throws: {
      ($0 as? LedgerError)?.code == .roleMayNotConsume
    }
    await helper.close()
  }

  @Test func frozenAppFindsTheErrorThatCameMeanwhile() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let promise = try await app.createPromise(of: Void.self, label: "remove avatar")
    let waiting = Task { try await promise.consume() }
    #expect(try await app.freeze())
    let helper = try await temporary.open(as: .appExtension)
    try await helper.promise(id: promise.id, of: Void.self).reject(ServerError(code: 503))
    await helper.close()
    try await app.unfreeze()
    await #expect { try await waiting.value } throws: { error in
      guard case .rejected(let stored)? = error as? PromiseFailure else { return false }
      return stored.decode(as: ServerError.self) == ServerError(code: 503)
    }
    await app.close()
  }

  @Test func restartedAppIsOfferedTheOutcomeAsStale() async throws {
    let temporary = try TemporaryLedger()
    let first = try await temporary.open(as: .app)
    let key = try PromiseKey("avatar/room@example.org")
    let promise = try await first.createPromise(key: key, of: Int.self)
    let helper = try await temporary.open(as: .appExtension)
    await first.close()
    try await helper.promise(id: promise.id, of: Int.self).fulfill(7)
    let second = try await temporary.open(as: .app)
    let stale = try await second.stalePromises()
    #expect(stale.map(\.id) == [promise.id])
    #expect(stale.first?.outcome == .fulfilled(StoredValue(typeTag: "int", bytes: [0x37])))
    #expect(try await second.findOrCreatePromise(key: key, of: Int.self).consume() == 7)
    #expect(try await second.stalePromises().isEmpty)
    await helper.close()
    await second.close()
  }

  @Test func largeValuesSurvive() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let promise = try await app.createPromise(of: [UInt8].self)
    try await promise.fulfill(bytes)
    #expect(try await promise.consume() == bytes)
    await app.close()
  }

  @Test func eventsComeInOrderWithoutGapOrRepetition() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let reading = Task { [app] in
      var positions: [UInt64] = []
      for try await event in app.events() {
        positions.append(event.position.rawValue)
        if positions.count == 1_002 { break }
      }
      return positions
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<1_000 {
        group.addTask { _ = try await app.createPromise(of: Void.self) }
      }
      try await group.waitForAll()
    }
    #expect(try await reading.value == Array(1...1_002))
    await app.close()
  }
}
