import PromiseLedger

/// Makes handlers, calls one, or runs unfinished calls again, and dies at a point on the way.
struct Handle {
  private let path: String
  private let step: String
  private let number: Int
  private let killSwitch: KillSwitch
  private let commitsEffectsBeforeFinish: Bool
  private let makesPairsInTwoCommits: Bool

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    step = try arguments.next("step")
    number = try arguments.number("number")
    killSwitch = KillSwitch(
      point: try arguments.next("point"), delayInMicroseconds: try arguments.number("delay"))
    commitsEffectsBeforeFinish = arguments.has("commits-effects-before-finish")
    makesPairsInTwoCommits = arguments.has("makes-pairs-in-two-commits")
  }

  func run() async throws {
    let ledger = try await open()
    switch step {
    case "make": try await make(in: ledger)
    case "call":
      killSwitch.reached("opened")
      try await ledger.handler(forKey: HandlerKey("work/\(number)")).call()
      killSwitch.reached("called")
    case "pair":
      killSwitch.codeDone()
      try await makePair(in: ledger)
      killSwitch.reached("called")
    case "await":
      // Opens before the answer comes, so that no opening finds the dead process.
      Output.line("opened")
      _ = readLine()
      try await ledger.handler(forKey: HandlerKey("work/\(number)")).call()
    case "list":
      for call in try await ledger.unfinishedCalls() { Output.line("U \(call.id)") }
    case "retry":
      for result in try await ledger.retryUnfinishedCalls().values { _ = try result.get() }
      killSwitch.reached("called")
    case "invalidate":
      try await ledger.handler(forKey: HandlerKey("work/\(number)")).invalidate(reason: "over")
    default: throw UsageError(what: "no step \(step)")
    }
    await ledger.close()
    Output.line("done")
  }

  private func open() async throws -> Ledger {
    let killSwitch = killSwitch
    var configuration = LedgerConfiguration()
    configuration.files.hooks.gatePassed = { killSwitch.gatePassed() }
    configuration.files.hooks.beforeCommit = { killSwitch.committing() }
    #if DEBUG
      configuration.hooks.commitsEffectsBeforeFinish = commitsEffectsBeforeFinish
    #endif
    try configuration.handlers.register(Work.self) { killSwitch }
    try configuration.handlers.register(Tally.self) { killSwitch }
    try configuration.handlers.register(Pair.self)
    return try await Ledger.open(at: path, as: .appExtension, configuration: configuration)
  }

  private func make(in ledger: Ledger) async throws {
    let tally = try await ledger.createHandler(
      Tally.self, key: HandlerKey("tally"), repetition: .repeating
    ).handler
    for number in 0..<number {
      let promise = try await ledger.findOrCreatePromise(
        key: PromiseKey("result/\(number)"), of: Int.self)
      try await ledger.createHandler(
        Work.self, ["number": number, "promise": promise, "tally": tally],
        key: HandlerKey("work/\(number)"))
    }
  }
}

extension Handle {
  /// Makes a promise and its handler, in one commit or, as must not happen, in two.
  private func makePair(in ledger: Ledger) async throws {
    let key = try PromiseKey("pair/\(number)")
    let handlerKey = try HandlerKey("pair/\(number)")
    if makesPairsInTwoCommits {
      let promise = try await ledger.findOrCreatePromise(key: key, of: Int.self)
      try await ledger.createHandler(Pair.self, ["promise": promise], key: handlerKey)
    } else {
      try await ledger.batch { batch in
        let promise = try batch.createPromise(of: Int.self, key: key)
        try batch.createHandler(Pair.self, ["promise": promise], key: handlerKey)
      }
    }
  }
}

/// Settles a promise.
struct Pair: LedgerHandler {
  static let kind = "pair"
  let promise: DurablePromise<Int>

  func run(in call: HandlerCall<Void>) throws { try call.fulfill(promise, 1) }
}

/// Resolves a promise, makes another, and calls a second handler, with points between.
struct Work: LedgerHandler {
  static let kind = "work"
  let number: Int
  let promise: DurablePromise<Int>
  let tally: DurableHandler

  func run(in call: HandlerCall<KillSwitch>) throws -> Int {
    call.context.reached("code-begun")
    try call.fulfill(promise, number)
    call.context.reached("resolved")
    _ = try call.createPromise(of: Int.self, label: "made \(number)")
    call.context.reached("made")
    try call.scheduleCall(of: tally, ["number": number])
    call.context.codeDone()
    return number
  }
}

/// Makes a promise for each call.
struct Tally: LedgerHandler {
  static let kind = "tally"
  let number: Int

  func run(in call: HandlerCall<KillSwitch>) throws {
    call.context.reached("tally-begun")
    _ = try call.createPromise(of: Int.self, label: "tallied \(number)")
    call.context.reached("tally-done")
  }
}
