import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Promises and handlers that are created together.
@Suite(.timeLimit(.minutes(10)))
struct BatchTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(countingCommits count: Counter = Counter()) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.files.hooks.beforeCommit = { count.increment() }
    try configuration.handlers.register(Scripted.self) {
      Scripted.Script { scripted, call in
        if let promise = scripted.promise { try call.fulfill(promise, 5) }
        return 1
      }
    }
    return try await temporary.open(configuration: configuration)
  }

  private final class Counter: Sendable {
    private let contents = Atomic<Int>(0)
    var value: Int { contents.load(ordering: .sequentiallyConsistent) }
    func increment() { contents.add(1, ordering: .sequentiallyConsistent) }
  }

  @Test func allIsCreatedInOneCommit() async throws {
    let commits = Counter()
    let ledger = try await open(countingCommits: commits)
    let before = try await ledger.catchUp()
    let countBefore = commits.value
    let (promise, handler) = try await ledger.batch { batch in
      await Task.yield()
      let promise = try batch.createPromise(
        of: Int.self, label: "together", tags: ["t"], deadline: nil)
      let handler = try batch.createHandler(
        Scripted.self, ["promise": promise], key: HandlerKey("iq-1"), scopes: ["s"])
      try batch.createHandler(Scripted.self, ["other": handler], repetition: .repeating)
      return (promise, handler)
    }
    #expect(commits.value == countBefore + 1)
    var kinds: [EventKind] = []
    for try await event in ledger.events(after: before) {
      kinds.append(event.kind)
      if kinds.count == 3 { break }
    }
    #expect(kinds == [.promiseCreated, .handlerCreated, .handlerCreated])
    #expect(try await promise.record?.label == "together")
    #expect(try await handler.record?.scopes == ["s"])
    try await handler.call()
    #expect(try await promise.consume() == 5)
    await ledger.close()
  }

  @Test func aBodyThatThrowsCreatesNothing() async throws {
    let ledger = try await open()
    let before = try await ledger.catchUp()
    await #expect(throws: ScriptedError(text: "no")) {
      try await ledger.batch { batch in
        _ = try batch.createPromise(of: Int.self)
        try batch.createHandler(Scripted.self)
        throw ScriptedError(text: "no")
      }
    }
    #expect(try await ledger.catchUp() == before)
    try await ledger.batch { _ in }
    #expect(try await ledger.catchUp() == before)
    await ledger.close()
  }

  @Test func onePartThatIsRefusedTakesAllOthersBack() async throws {
    let ledger = try await open()
    _ = try await ledger.createPromise(
      key: PromiseKey("taken"), of: Int.self, idempotencyKey: IdempotencyKey("another request"))
    let before = try await ledger.catchUp()
    let taken = try PromiseKey("taken").promiseID
    await expectError(.conflict, naming: ["\(taken)"]) {
      try await ledger.batch { batch in
        _ = try batch.createPromise(of: Int.self, key: PromiseKey("free"))
        try batch.createHandler(Scripted.self, key: HandlerKey("free"))
        _ = try batch.createPromise(of: Int.self, key: PromiseKey("taken"))
      }
    }
    #expect(try await ledger.catchUp() == before)
    #expect(try await ledger.record(forKey: PromiseKey("free")) == nil)
    await ledger.close()
  }

  @Test func aRepetitionWithKeysFindsEverything() async throws {
    let ledger = try await open()
    func create() async throws -> (DurablePromise<Int>, DurableHandler) {
      try await ledger.batch { batch in
        let promise = try batch.createPromise(of: Int.self, key: PromiseKey("iq-1"))
        let handler = try batch.createHandler(
          Scripted.self, ["promise": promise], key: HandlerKey("iq-1"))
        return (promise, handler)
      }
    }
    let first = try await create()
    let before = try await ledger.catchUp()
    let second = try await create()
    #expect(first == second)
    #expect(try await ledger.catchUp() == before)
    try await second.1.call()
    #expect(try await create() == first)
    #expect(try await first.0.consume() == 5)
    await ledger.close()
  }

  @Test func aHandlerThatIsThereMustKnowThePromise() async throws {
    let ledger = try await open()
    let old = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Scripted.self, ["promise": old], key: HandlerKey("iq-1")
    ).handler
    let before = try await ledger.catchUp()
    await expectError(.conflict, naming: ["\(handler.id)"]) {
      try await ledger.batch { batch in
        let promise = try batch.createPromise(of: Int.self)
        try batch.createHandler(Scripted.self, ["promise": promise], key: HandlerKey("iq-1"))
      }
    }
    #expect(try await ledger.catchUp() == before)
    #expect(try await ledger.unconsumedPromises().map(\.id) == [old.id])
    await ledger.close()
  }

  @Test func theSizeOfABatchIsBounded() async throws {
    let ledger = try await open()
    let before = try await ledger.catchUp()
    await expectError(.invalidArgument, naming: ["1000 promises and handlers"]) {
      try await ledger.batch { batch in
        for _ in 0...1_000 { _ = try batch.createPromise(of: Int.self) }
      }
    }
    let large = String(repeating: "x", count: ledger.maximumTextCount)
    await expectError(.payloadTooLarge, naming: ["batch"]) {
      try await ledger.batch { batch in
        for _ in 0..<3 { try batch.createHandler(Scripted.self, ["name": large]) }
      }
    }
    #expect(try await ledger.catchUp() == before)
    try await ledger.batch { batch in
      for _ in 0..<1_000 { _ = try batch.createPromise(of: Int.self) }
    }
    #expect(try await ledger.unconsumedPromises().count == 1_000)
    await ledger.close()
  }

  @Test func aKindThatIsNotRegisteredIsRefused() async throws {
    let ledger = try await open()
    await expectError(.handlerUnregistered, naming: ["nothing"]) {
      try await ledger.batch { batch in
        try batch.createHandler(Nothing.self)
      }
    }
    await ledger.close()
  }
}

extension Ledger {
  /// A bit less than half of the maximum payload.
  fileprivate var maximumTextCount: Int {
    LedgerConfiguration().maximumPayloadSizeInBytes / 2 - 100
  }
}
