import PromiseLedger

/// One round of everything that promises and handlers can do.
struct Life {
  let ledger: Ledger
  let name: String

  func live() async throws {
    let start = try await ledger.catchUp()
    let keyed = try await ledger.createPromise(
      key: PromiseKey("older/\(name)"), of: String.self, label: "older")
    try require(try await keyed.fulfill(large).isSuccess, "a promise with a key is fulfilled")
    try require(try await keyed.consume() == large, "its value is as it was")
    let left = try await ledger.createPromise(of: String.self, label: "older, left")
    let abandoned = try await ledger.createPromise(of: String.self)
    _ = try await abandoned.abandon(reason: "over")
    let cancelled = try await ledger.createPromise(of: String.self)
    try require(try await cancelled.cancel().isSuccess, "a promise is cancelled")
    let open = try await ledger.unconsumedPromises()
    try require(open.contains { $0.id == left.id }, "the list has a pending promise")
    try await callHandlers()
    try require(try await ledger.unfinishedCalls().isEmpty, "no call is unfinished")
    var count = 0
    let head = try await ledger.catchUp()
    for try await event in ledger.events(after: start) {
      count += 1
      if event.position >= head { break }
    }
    try require(count > 0, "events are read")
    print("lived \(name), \(count) events")
  }

  private var large: String { name + String(repeating: ".", count: 9_000) }

  private func callHandlers() async throws {
    let bound = try await ledger.createPromise(of: String.self)
    let handler = try await ledger.createHandler(
      Greet.self, ["promise": bound], key: HandlerKey("older/\(name)")
    ).handler
    try await handler.call()
    try require(try await bound.consume() == "greeted", "a handler fulfils a promise")
    for prefix in ["old", "new"] {
      let meddle = try ledger.handler(forKey: HandlerKey("\(prefix)-meddle"))
      guard try await ledger.record(of: meddle.id) != nil else { continue }
      let verdicts = try await meddle.call().effects.map(\.verdict)
      try require(verdicts == [.blocked], "an effect on work is blocked, not \(verdicts)")
    }
  }
}

/// Everything that could change work.
struct Meddling {
  let ledger: Ledger

  /// - Parameter works: The ids of promises, each with `=` and its key if it has one.
  func meddle(with works: [String]) async throws {
    let listed = Set(try await ledger.unconsumedPromises().map(\.id))
    for work in works {
      let words = work.split(separator: "=", maxSplits: 1).map(String.init)
      guard let id = words.first.flatMap(PromiseID.init) else { throw Surprise("No id: \(work)") }
      try require(!listed.contains(id), "work \(id) is not in the list")
      let promise = try ledger.promise(id: id, of: String.self)
      // Its creation may be an event that is skipped.
      let record = try? await ledger.record(of: id)
      try require(record == nil, "work \(id) has no record")
      try await refused("fulfill \(id)") { _ = try await promise.fulfill("older") }
      try await refused("cancel \(id)") { _ = try await promise.cancel() }
      try await refused("abandon \(id)") { _ = try await promise.abandon(reason: "older") }
      try await refused("consume \(id)") { _ = try await promise.consume() }
      guard words.count > 1 else { continue }
      try await refused("create \(words[1])") {
        _ = try await ledger.findOrCreatePromise(key: PromiseKey(words[1]), of: String.self)
      }
    }
    print("refused on \(works.count) works")
  }

  private func refused(_ what: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as LedgerError where error.code == .unsupportedEvent {
      return
    } catch {
      throw Surprise("\(what): expected unsupportedEvent, not \(error)")
    }
    throw Surprise("\(what): not refused")
  }
}
