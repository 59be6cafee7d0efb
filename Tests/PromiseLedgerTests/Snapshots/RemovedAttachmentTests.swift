import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A record that is removed, with its large value, between the look-up and the reading of the value.
@Suite(.timeLimit(.minutes(10))) struct RemovedAttachmentTests {
  /// An action that happens once, between the two.
  private final class Meanwhile: Sendable {
    private let action = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func set(_ action: @escaping @Sendable () async throws -> Void) {
      self.action.withLock { $0 = action }
    }

    func happen() async throws {
      try await action.withLock { $0.take() }?()
    }
  }

  private let temporary: TemporaryLedger
  private let meanwhile = Meanwhile()

  init() throws { temporary = try TemporaryLedger() }

  /// A ledger that reads, and another one that works meanwhile.
  private func open() async throws -> (reader: Ledger, other: Ledger) {
    var configuration = CompactionSample.configuration("reader")
    configuration.hooks.lookedUp = { [meanwhile] in try await meanwhile.happen() }
    return (
      try await temporary.open(configuration: configuration),
      try await temporary.open(configuration: CompactionSample.configuration("other"))
    )
  }

  private func makePromise(
    key: String?, in ledger: Ledger
  ) async throws -> DurablePromise<String> {
    let promise: DurablePromise<String> =
      if let key {
        try await ledger.findOrCreatePromise(key: PromiseKey(key))
      } else {
        try await ledger.createPromise()
      }
    try await promise.fulfill(String(repeating: "x", count: 9_000))
    return promise
  }

  private static func consumeAndRemove(
    _ promise: DurablePromise<String>, _ ledger: Ledger
  ) async throws {
    _ = try await ledger.promise(id: promise.id, of: String.self).consume()
    try await ledger.compact(.everything())
  }

  @Test(arguments: [nil, "key"])
  func itIsGoneForEveryReader(key: String?) async throws {
    let (reader, other) = try await open()
    let gone: LedgerError.Code = key == nil ? .notFound : .recordRemoved
    var promises: [DurablePromise<String>] = []
    for number in 0..<4 {
      promises.append(try await makePromise(key: key.map { "\($0) \(number)" }, in: reader))
    }
    let first = promises[0]
    meanwhile.set { try await Self.consumeAndRemove(first, other) }
    #expect(try await reader.record(of: first.id) == nil)

    let second = promises[1]
    meanwhile.set { try await Self.consumeAndRemove(second, other) }
    await expectError(gone) { try await second.outcome }

    let third = promises[2]
    meanwhile.set { try await Self.consumeAndRemove(third, other) }
    #expect(try await reader.unconsumedPromises().map(\.id) == [promises[3].id])

    let fourth = promises[3]
    meanwhile.set { try await Self.consumeAndRemove(fourth, other) }
    await expectError(gone) {
      try await reader.resolve(fourth.id, with: .cancelled(reason: "late"))
    }
    await reader.close()
    await other.close()
  }

  @Test func aPromiseThatWasOnlyConsumedHasItsValue() async throws {
    let (reader, other) = try await open()
    let promise = try await makePromise(key: nil, in: reader)
    meanwhile.set {
      _ = try await other.promise(id: promise.id, of: String.self).consume()
      try await other.compact(CompactionSample.events)
    }
    #expect(try await promise.outcome.get().count == 9_000)
    await reader.close()
    await other.close()
  }

  @Test func aReboundHandlerHasItsNewArguments() async throws {
    let (reader, other) = try await open()
    let large = StoredArguments.bytes(9_000)
    let id = HandlerID.numbered(1)
    _ = try await other.engine.submit(CreateHandler(id, arguments: .of(large)))
    let new = StoredArguments.bytes(8_000)
    meanwhile.set {
      _ = try await other.engine.submit(
        RebindHandler(id: id, mode: .replaced, arguments: .of(new), expectedBinding: nil))
      try await other.compact(.everything())
    }
    #expect(try await reader.record(of: id)?.bound == new)
    await reader.close()
    await other.close()
  }

  @Test func aValueThatIsReallyMissingIsDamage() async throws {
    let (reader, other) = try await open()
    let promise = try await makePromise(key: nil, in: reader)
    try await other.compact(CompactionSample.events)
    let position = try #require(try await reader.record(of: promise.id)?.resolved?.position)
    try await other.engine.withStore { store in
      let summary = try store.snapshotSummary()
      _ = try store.changeSnapshot(
        [TableChange(deleting: AttachmentReference(position: position, byteCount: 9_002))],
        from: summary, to: summary, patience: Patience(.seconds(5)))
    }
    await expectError(.corrupt) { try await reader.record(of: promise.id) }
    let replayed = try BlockingInspector(at: temporary.path).replay()
    let damage = #expect(throws: LedgerError.self) { try replayed.record(of: promise.id) }
    #expect(damage?.code == .corrupt)
    await reader.close()
    await other.close()
  }
}
