import LedgerTreeSupport
import PromiseLedger
import PromiseLedgerTesting

/// Writes promises and handlers in every state to a ledger, and captures its data file on the way.
struct SampleWriter {
  let ledger: Ledger
  let clock: ManualLedgerClock
  let ids: SequentialIDGenerator
  /// Sees the data file after every commit.
  private(set) var history: PageHistory
  /// The promises that work settles.
  private(set) var works: [PromiseID] = []

  /// Captures the data file after a commit.
  mutating func look() throws { try history.look() }

  private mutating func submit<Answer>(_ command: some Command<Answer>) async throws {
    _ = try await ledger.engine.submit(command)
    try look()
  }

  // MARK: Promises

  /// Adds promises; every twelve of them have one in each state.
  mutating func addPromises(_ name: String, _ numbers: Range<Int>) async throws {
    for number in numbers {
      try await addPromise(name, number)
      clock.advance(by: .milliseconds(10))
    }
  }

  /// Adds promises with keys that ended, so that compaction leaves their tombstones.
  mutating func addEndedPromises(_ name: String, _ numbers: Range<Int>) async throws {
    for number in numbers {
      let promise = try await keyed(name, number)
      if number % 3 == 0 {
        try await promise.abandon(reason: "nobody waits")
        try look()
      } else {
        try await fulfill(promise, "\(number)")
        try await consume(promise)
      }
    }
  }

  private mutating func addPromise(_ name: String, _ number: Int) async throws {
    switch number % 12 {
    case 0: _ = try await keyed(name, number)
    case 1: _ = try await labelled(name, number)
    case 2, 3:
      _ = try await create(
        label: "\(name) with a deadline",
        deadline: clock.now() + .seconds(1_000_000_000 + number))
    case 4: try await fulfill(keyed(name, number), Self.text(5_600, number))
    case 5:
      let promise = try await keyed(name, number)
      try await fulfill(promise, Self.text(9_000, number))
      try await consume(promise)
    case 6:
      try await keyed(name, number).reject(
        StoredError(domain: "server", code: 403, message: "Only owners may change this."))
    case 7: try await keyed(name, number).abandon(reason: "nobody waits")
    case 8: try await labelled(name, number).cancel()
    case 9:
      // More than one piece of a record.
      let tags = (0..<16).map { "\($0) \(Self.text(58, number))" }
      try await fulfill(create(tags: tags), Self.text(3_300, number))
    case 10:
      let promise = try await create(
        label: "\(name), timed out", deadline: clock.now() + .seconds(1))
      clock.advance(by: .seconds(2))
      _ = try await promise.outcome
    default: try await fulfill(labelled(name, number), "small")
    }
    try look()
  }

  private mutating func create(
    label: String? = nil, tags: [String] = [], deadline: Timestamp? = nil
  ) async throws -> DurablePromise<String> {
    let promise: DurablePromise<String> = try await ledger.createPromise(
      label: label, tags: tags, deadline: deadline)
    try look()
    return promise
  }

  private mutating func keyed(
    _ name: String, _ number: Int
  ) async throws -> DurablePromise<String> {
    let promise: DurablePromise<String> = try await ledger.findOrCreatePromise(
      key: PromiseKey("\(name)/\(number)"))
    try look()
    return promise
  }

  private mutating func labelled(
    _ name: String, _ number: Int
  ) async throws -> DurablePromise<String> {
    try await create(label: "\(name), \(number)", tags: [name, "\(number % 4)"])
  }

  private mutating func fulfill(_ promise: DurablePromise<String>, _ value: String) async throws {
    try await promise.fulfill(value)
    try look()
  }

  private mutating func consume(_ promise: DurablePromise<String>) async throws {
    _ = try await promise.consume()
    try look()
  }

  private static func text(_ count: Int, _ number: Int) -> String {
    String("\(number) ".cycled.prefix(count))
  }

  // MARK: Handlers

  /// Adds handlers; every six of them have one in each state.
  mutating func addHandlers(
    _ name: String, _ numbers: Range<Int>, isEnded: Bool = false
  ) async throws {
    for number in numbers {
      let id = try HandlerKey("\(name)/\(number)").handlerID
      try await create(id, name, number)
      try await live(id, isEnded ? 2 * (number % 2) + 1 : number % 6)
    }
  }

  private mutating func create(_ id: HandlerID, _ name: String, _ number: Int) async throws {
    let payload = Array(Self.text(number % 6 == 5 ? 5_300 : 30, number).utf8)
    let arguments = try ArgumentSet(
      checking: StoredArguments([
        StoredArgument(name: "room", typeTag: "bytes", payload: payload)
      ]),
      references: HandlerReferences(
        promises: [try PromiseKey("\(name)/\(12 * (number / 2))").promiseID], handlers: []))
    try await submit(
      CreateHandler(
        id: id,
        HandlerDescription(
          kind: Self.kind, repetition: number % 6 == 1 ? .oneShot : .repeating,
          key: "\(name)/\(number)", label: "\(name), \(number)",
          scopes: [name, "room \(number % 5)"]),
        arguments: arguments))
  }

  private mutating func live(_ id: HandlerID, _ state: Int) async throws {
    let call = CallID(entityID: ids.makeID(at: clock.now()))
    switch state {
    case 1:
      try await start(id, call)
      try await submit(
        FinishCall(
          id: id, call: call, attempt: 1,
          result: .returned(typeTag: "int", bytes: Array("42".utf8))))
    case 2: try await start(id, call)
    case 3:
      try await submit(
        InvalidateHandler(
          id: id, call: call, reason: "over", arguments: .none, runsCode: false))
    case 4:
      try await start(id, call)
      try await submit(
        ReleaseCall(id: id, call: call, attempt: 1, reason: .notRunnable))
    default: break
    }
  }

  private mutating func start(_ id: HandlerID, _ call: CallID) async throws {
    try await submit(
      StartCall(
        id: id, call: call, arguments: .none, expectedBinding: nil, runnableKinds: [Self.kind]))
  }

  private static let kind = "room-handler"

  // MARK: Work

  /// Adds work; every six of them have one in each state.
  mutating func addWork(_ numbers: Range<Int>) async throws {
    for number in numbers {
      let id = PromiseID(entityID: ids.makeID(at: clock.now()))
      works.append(id)
      let created = PromiseCreated.Work(
        kind: Self.workKind, trigger: number % 6 == 0 ? .at(clock.now() + .seconds(9_000)) : .now,
        options: WorkOptions())
      try await submit(
        CreatePromise(
          id: id,
          creation: PromiseCreated(
            typeTag: "int", label: "work \(number)", lifetime: .untilSettled,
            source: .work(created)), isStrict: true))
      try await live(id, number % 6)
      clock.advance(by: .milliseconds(10))
    }
  }

  private mutating func live(_ id: PromiseID, _ state: Int) async throws {
    guard state >= 2 else { return }
    try await submit(ClaimWork([id], runnableKinds: [Self.workKind]))
    let error = StoredError(domain: "mail", code: 550, message: "no mailbox")
    switch state {
    case 2:
      try await finish(id, .returned(typeTag: "int", bytes: Array("7".utf8)))
    case 3:
      try await finish(
        id, .failed(error, isFinal: false),
        WorkRetryPolicy(firstDelay: .seconds(9_000), longestDelay: .seconds(9_000)))
    case 4:
      try await finish(
        id, .failed(error, isFinal: false), WorkRetryPolicy(failureLimit: 1, givingUp: .park))
    default: break
    }
  }

  private mutating func finish(
    _ id: PromiseID, _ result: FinishWork.Result, _ policy: WorkRetryPolicy = .standard
  ) async throws {
    try await submit(FinishWork(id: id, attempt: 1, result: result, policy: policy))
  }

  private static let workKind = "mail"

  // MARK: Sessions

  /// Adds sessions of extensions that ended.
  mutating func addSessions(
    _ count: Int, at path: String, _ configuration: LedgerConfiguration
  ) async throws {
    for _ in 0..<count {
      let other = try await Ledger.open(at: path, as: .appExtension, configuration: configuration)
      try look()
      _ = try await other.createPromise(of: Bool.self, label: "of an extension")
      try look()
      await other.close()
      try look()
    }
  }
}

extension String {
  /// The text again and again.
  fileprivate var cycled: some Sequence<Character> {
    sequence(first: self) { $0 }.lazy.flatMap { $0 }
  }
}
