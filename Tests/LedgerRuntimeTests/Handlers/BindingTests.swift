import Foundation
import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Binding, rebinding, merging and erasing, and values inside arguments.
@Suite(.timeLimit(.minutes(10)))
struct BindingTests {
  /// Reports the arguments that it received.
  private struct Echo: LedgerHandler {
    struct Binding: Encodable, Sendable {
      var a: String?
      var b: Int?
    }

    static let kind = "echo"
    let a: String?
    let b: Int?
    let c: Bool?

    func run(in call: HandlerCall<Gate?>) async throws -> String {
      await call.context?.pass()
      return "\(a ?? "-") \(b.map { "\($0)" } ?? "-") \(c.map { "\($0)" } ?? "-")"
    }
  }

  private let ledger: Ledger
  private let gate = Gate()
  private let temporary: TemporaryLedger

  init() async throws {
    temporary = try TemporaryLedger()
    ledger = try await temporary.open { registry in
      try registry.register(Echo.self) { nil }
      try registry.register(Nested.self)
      try registry.register(AnyArguments.self)
    }
  }

  private func make(_ arguments: HandlerArguments) async throws -> DurableHandler {
    try await ledger.createHandler(Echo.self, arguments, repetition: .repeating).handler
  }

  @Test func rebindingReplacesEverything() async throws {
    let handler = try await make(["a": "x", "b": 1])
    try await handler.rebind(["b": 2, "c": nil])
    #expect(try await handler.call(as: Echo.self) == "- 2 -")
    #expect(try await handler.record?.bound.arguments.map(\.name) == ["b"])
  }

  /// A call is prepared from what its session knows, which may be older.
  @Test func aCallRunsWithWhatAnotherSessionBoundJustBefore() async throws {
    let other = try await temporary.open(as: .app) { try $0.register(Echo.self) { nil } }
    let handler = try await make(["b": 0])
    for number in 1...50 {
      try await other.handler(id: handler.id).rebind(["b": number])
      #expect(try await handler.call(as: Echo.self) == "- \(number) -")
    }
    await other.close()
  }

  /// Only what another session wrote meanwhile is a reason to prepare a call again.
  @Test func aContextThatIsMissingIsAskedForOnce() async throws {
    struct Missing: Error {}
    let count = Mutex(0)
    let other = try await temporary.open(as: .app) { registry in
      try registry.register(Echo.self) { () throws -> Gate? in
        count.withLock { $0 += 1 }
        throw Missing()
      }
    }
    let handler = try await make([:])
    _ = try await other.catchUp()
    await #expect(throws: Missing.self) {
      try await other.handler(id: handler.id).call(as: Echo.self)
    }
    #expect(count.withLock { $0 } == 1)
    await other.close()
  }

  /// What was missing or withdrawn is looked for in the newest state before it counts.
  @Test func aCallFindsWhatAnotherSessionAddedJustBefore() async throws {
    let other = try await temporary.open(as: .app) { try $0.register(Echo.self) { nil } }
    for number in 1...20 {
      let created = try await other.createHandler(
        Echo.self, ["b": number], repetition: .oneShot
      ).handler
      let handler = ledger.handler(id: created.id)
      #expect(try await handler.call(as: Echo.self) == "- \(number) -")
      await #expect(throws: LedgerError.self) { try await created.call(as: Echo.self) }
    }
    await other.close()
  }

  @Test func mergingAddsAndReplacesAndErases() async throws {
    let handler = try await make(["a": "x", "b": 1])
    try await handler.merge(["b": 2, "c": true, "a": nil])
    #expect(try await handler.call(as: Echo.self) == "x 2 true")
    try await handler.merge([:], erasing: ["a", "unknown"])
    #expect(try await handler.call(as: Echo.self) == "- 2 true")
    try await handler.merge(["b": 3])
    #expect(try await handler.call(as: Echo.self) == "- 3 true")
    let rebound = try await ledger.payloads(of: HandlerRebound.self)
    #expect(rebound.allSatisfy { $0.mode == .merged } && rebound.count == 3)
  }

  @Test func aMergedArgumentMayBeOfAnotherTypeThanBefore() async throws {
    let handler = try await ledger.createHandler(AnyArguments.self, ["b": 1]).handler
    try await handler.merge(["b": "no number"])
    #expect(try await handler.record?.bound["b"]?.typeTag == "string")
  }

  @Test func anArgumentIsErasedForOneCall() async throws {
    let handler = try await make(["a": "x", "b": 1])
    let arguments: HandlerArguments = ["c": false]
    #expect(try await handler.call(as: Echo.self, arguments.erasing("a")) == "- 1 false")
    #expect(try await handler.call(as: Echo.self) == "x 1 -")
  }

  @Test func theLaterStatementAboutANameCounts() async throws {
    let handler = try await make(["a": "x", "b": 1])
    var arguments: HandlerArguments = ["a": "given", "b": 2]
    arguments.set("later", for: "a")
    arguments.erase("b")
    #expect(try await handler.call(as: Echo.self, arguments) == "later - -")
    arguments.set(3, for: "b")
    #expect(try await handler.call(as: Echo.self, arguments) == "later 3 -")
    try await handler.merge(arguments, erasing: ["a", "b"])
    #expect(try await handler.record?.bound.arguments.isEmpty == true)
  }

  @Test func simultaneousMergesAllCount() async throws {
    let elsewhere = try await temporary.open(as: .appExtension)
    let handler = try await ledger.createHandler(AnyArguments.self).handler
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        let mine = number.isMultiple(of: 2) ? handler : elsewhere.handler(id: handler.id)
        group.addTask { try await mine.merge(["n\(number)": number]) }
      }
      try await group.waitForAll()
    }
    #expect(try await handler.record?.bound.arguments.count == 20)
    await elsewhere.close()
  }

  @Test func aTypedBindingBindsItsMembers() async throws {
    let handler = try await ledger.createHandler(
      Echo.self, binding: Echo.Binding(a: "typed"), repetition: .repeating
    ).handler
    #expect(try await handler.record?.bound.arguments.map(\.typeTag) == ["string"])
    #expect(try await handler.call(as: Echo.self, ["b": 5]) == "typed 5 -")
    let literal = try await ledger.createHandler(AnyArguments.self, binding: ["x": 1]).handler
    #expect(try await literal.record?.bound["x"]?.typeTag == "int")
  }

  @Test func aRunningCallKeepsItsArguments() async throws {
    let gate = Gate()
    let other = try await temporary.open { registry in
      try registry.register(Echo.self) { gate }
    }
    let handler = try await other.createHandler(Echo.self, ["a": "before"], repetition: .repeating)
      .handler
    async let running = handler.call(as: Echo.self)
    await gate.arrival()
    try await handler.rebind(["a": "after"])
    gate.open()
    #expect(try await running == "before - -")
    #expect(try await handler.call(as: Echo.self) == "after - -")
    await other.close()
  }

  // MARK: Large arguments

  @Test func largeArgumentsAreKeptBesideTheEvents() async throws {
    let large = String(repeating: "a", count: 20_000)
    let handler = try await make(["a": large])
    #expect(try await handler.call(as: Echo.self) == "\(large) - -")
    let other = String(repeating: "b", count: 30_000)
    #expect(try await handler.call(as: Echo.self, ["a": other]) == "\(other) - -")
    try await handler.merge(["b": 1])
    #expect(try await handler.call(as: Echo.self) == "\(large) 1 -")
    #expect(try await handler.record?.bound["a"]?.payload.count == 20_002)
    await ledger.close()
    let replayed = try BlockingInspector(at: temporary.path).replay()
    #expect(try replayed.handlers().first?.bound["a"]?.payload.count == 20_002)
  }

  // MARK: Inside arguments

  /// Has promises and handlers, optionals and nulls, deep inside.
  private struct Nested: LedgerHandler {
    struct Part: Codable, Sendable {
      let promises: [String: [DurablePromise<Int>?]]
      let handler: DurableHandler?
      let note: String?
    }

    static let kind = "nested"
    let part: Part
    let numbers: [Int?]

    func run(in call: HandlerCall<Void>) async throws -> [Int?] {
      for promise in part.promises.values.joined() {
        guard let promise else { continue }
        // It is attached to the ledger.
        guard try await promise.record?.status == .pending else { return [] }
        try call.fulfill(promise, 1)
      }
      try await part.handler?.merge(["c": true])
      return numbers
    }
  }

  @Test func promisesAndHandlersComeOutAliveAndNullsSurvive() async throws {
    let promises = [
      try await ledger.createPromise(of: Int.self), try await ledger.createPromise(of: Int.self),
    ]
    let other = try await make([:])
    let part = Nested.Part(
      promises: ["a": [promises[0], nil], "b": [promises[1]]], handler: other, note: nil)
    let handler = try await ledger.createHandler(
      Nested.self, ["part": part, "numbers": [1, nil, 3] as [Int?]]
    ).handler
    let record = try #require(try await handler.record)
    #expect(record.references.promises == promises.map(\.id).sorted())
    #expect(record.references.handlers == [other.id])
    #expect(record.bound["numbers"]?.typeTag == "[int?]")
    #expect(try await handler.call(as: Nested.self) == [1, nil, 3])
    #expect(try await promises[0].consume() == 1)
    #expect(try await promises[1].consume() == 1)
    #expect(try await other.record?.bound["c"]?.typeTag == "bool")
  }

  @Test func mergingForgetsArgumentsThatAreNoLongerBound() async throws {
    let first = try await ledger.createPromise(of: Int.self)
    let second = try await ledger.createPromise(of: Int.self)
    let third = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      AnyArguments.self, ["p": first, "q": [second], "r": [[third]]], repetition: .repeating
    ).handler
    #expect(try await handler.record?.references.promises.count == 3)
    try await handler.merge(["p": nil, "x": 1], erasing: ["q"])
    #expect(
      try await handler.record?.references.promises == [first.id, third.id].sorted())
    try await handler.merge(["r": first])
    #expect(try await handler.record?.references.promises == [first.id])
    try await handler.rebind([:])
    #expect(try await handler.record?.references.promises == [])
  }

  @Test func resultsHaveLiveHandles() async throws {
    struct Maker: LedgerHandler {
      static let kind = "maker"
      func run(in call: HandlerCall<Void>) throws -> DurablePromise<Int> {
        try call.createPromise(of: Int.self)
      }
    }
    let maker = try await temporary.open { try $0.register(Maker.self) }
    let promise = try await maker.createHandler(Maker.self).handler.call(as: Maker.self)
    try await promise.fulfill(3)
    #expect(try await promise.consume() == 3)
    await maker.close()
  }
}
