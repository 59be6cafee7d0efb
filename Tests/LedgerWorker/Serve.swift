import PromiseLedger

/// Carries out commands from standard input, one on each line, and answers each with a line.
struct Serve {
  private let path: String
  private let role: SessionRole

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    role = try arguments.role()
  }

  func run() async throws {
    let gate = StoppingGate()
    var configuration = LedgerConfiguration()
    configuration.writerStallTimeout = .seconds(30)
    configuration.files.hooks.gatePassed = { gate.passed() }
    let isRunning = Flag()
    try configuration.handlers.register(Endless.self) { isRunning }
    let ledger = try await Ledger.open(at: path, as: role, configuration: configuration)
    Output.line("opened \(ledger.session)")
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        Output.line(
          words.first == "start"
            ? try await start(words[1], ledger, isRunning) : try await answer(words, ledger, gate))
      } catch {
        Output.line(Output.describe(error))
      }
    }
  }

  /// Begins a call that does not end.
  private func start(
    _ key: String, _ ledger: Ledger, _ isRunning: Flag
  ) async throws -> String {
    let handler = try await ledger.createHandler(Endless.self, key: HandlerKey(key)).handler
    Task { try await handler.call() }
    while !isRunning.isSet { await Task.yield() }
    return "started"
  }

  private func answer(
    _ words: [String], _ ledger: Ledger, _ gate: StoppingGate
  ) async throws -> String {
    switch words.first {
    case "create":
      let promise = try await ledger.createPromise(key: PromiseKey(words[1]), of: String.self)
      return "created \(promise.id)"
    case "resolve":
      let resolution = try await handle(words[1], ledger).fulfill(words[2])
      return resolution.isSuccess ? "resolved" : "refused"
    case "settle":
      let resolution = try await ledger.resolve(id(words[1]), with: try outcome(words))
      return resolution.isSuccess ? "resolved" : "refused"
    case "consume": return "consumed \(try await handle(words[1], ledger).consume())"
    case "consume-later":
      let promise = try handle(words[1], ledger)
      Task {
        do {
          Output.line("consumed \(try await promise.consume())")
        } catch {
          Output.line(Output.describe(error))
        }
      }
      while !ledger.engine.replica.isAwaited(promise.id) { await Task.yield() }
      // It checks once itself before it waits.
      _ = try await ledger.catchUp()
      return "waiting"
    case "outcome": return "outcome \(try await handle(words[1], ledger).outcome.get())"
    case "record":
      let record = try await ledger.record(forKey: PromiseKey(words[1]))
      return "record \(record.map { "\($0.status)" } ?? "none")"
    case "state":
      _ = try await ledger.catchUp()
      return try await ledger.engine.read(fromCopy: true) {
        "state \($0.position) \(try $0.digest())"
      }
    case "freeze": return "frozen \(try await ledger.freeze())"
    case "unfreeze":
      try await ledger.unfreeze()
      return "unfrozen"
    case "close":
      await ledger.close()
      return "closed"
    case "stop-in-gate":
      gate.arm()
      return "armed"
    default: throw UsageError(what: "no command \(words)")
    }
  }

  private func id(_ word: String) throws -> PromiseID {
    guard let id = PromiseID(word) else { throw UsageError(what: "no id \(word)") }
    return id
  }

  /// The meaning of `settle ID fulfilled TAG HEX`, `rejected HEX` or `cancelled`.
  private func outcome(_ words: [String]) throws -> PromiseOutcome<StoredValue> {
    switch words[2] {
    case "fulfilled": .fulfilled(StoredValue(typeTag: words[3], bytes: [UInt8](hex: words[4])))
    case "rejected": .rejected(try StoredError(decoding: [UInt8](hex: words[3])))
    case "cancelled": .cancelled(reason: "")
    default: throw UsageError(what: "no outcome \(words[2])")
    }
  }

  private func handle(_ key: String, _ ledger: Ledger) throws -> DurablePromise<String> {
    try ledger.promise(id: PromiseKey(key).promiseID, of: String.self)
  }
}

/// Runs until its process ends.
private struct Endless: LedgerHandler {
  static let kind = "endless"

  func run(in call: HandlerCall<Flag>) async throws {
    call.context.set()
    while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
  }
}

extension [UInt8] {
  fileprivate init(hex text: String) {
    var digits = text[...]
    self = []
    while let byte = UInt8(digits.prefix(2), radix: 16) {
      append(byte)
      digits = digits.dropFirst(2)
    }
  }
}
