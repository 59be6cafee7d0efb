import PromiseLedger

/// What the code of an errand is run for.
enum ErrandStage: Sendable {
  /// Work is brought into all its states.
  case making
  /// Work is run to its end.
  case ending
}

/// Work whose code comes to a stop in some way, until it is run for the last time.
struct Errand: LedgerWork {
  /// The way in which the code comes to a stop.
  enum Way: String, Codable, Sendable {
    /// It returns a short value, or one that is stored beside its event.
    case `return`, returnMuch
    case fail
    /// It runs until its process is killed.
    case hang
    /// It has finished steps, and waits for a promise or a time.
    case steps
    case sleep
    /// It waits until a step that failed is tried again.
    case failingStep
    /// It waits for other work, which it started.
    case parent
  }

  static let kind = "errand"
  var name: String
  var way: Way

  func run(in call: WorkCall<ErrandStage>) async throws -> String {
    let isMaking = call.context == .making
    switch way {
    case .return: break
    case .returnMuch: return name.padded
    case .fail: if isMaking { throw ErrandError() }
    case .hang: if isMaking { try await Self.hang() }
    case .steps: try await takeSteps(in: call)
    case .sleep: try await call.sleep(for: .seconds(300 * 86_400))
    case .failingStep:
      let policy = try WorkRetryPolicy(firstDelay: .seconds(86_400), longestDelay: .seconds(86_400))
      try await call.step("first") { _ in }
      try await call.step("second", retrying: policy) { _ in if isMaking { throw ErrandError() } }
    case .parent:
      let child = try await call.start(
        Chore.self, ["name": "\(name)-child"], label: "\(name)-child")
      _ = try await call.value(of: child)
    }
    return name
  }

  private func takeSteps(in call: WorkCall<ErrandStage>) async throws {
    let (name, isMaking) = (name, call.context == .making)
    let short = try await call.step("short") { step in
      _ = try step.createPromise(of: String.self, label: "\(name)-made")
      if !isMaking { throw Permanent(ErrandError()) }
      return name
    }
    let long = try await call.step("long", key: "1") { _ in
      if !isMaking { throw Permanent(ErrandError()) }
      return name.padded
    }
    guard short == name, long == name.padded else { throw Permanent(ErrandError()) }
    let answer = try await call.promise("answer", of: String.self, label: "\(name)-answer")
    _ = try await call.outcome(of: answer, until: call.startedAt + .seconds(400 * 86_400))
  }

  /// Waits for ever, also when the task is cancelled.
  private static func hang() async throws {
    while true {
      let task = Task.detached { try await Task.sleep(for: .seconds(3_600)) }
      try await task.value
    }
  }

  /// Work that is run only at the end.
  struct Chore: LedgerWork {
    static let kind = "errand-chore"
    var name: String
    var load: String?
    /// The outcome of a promise before it.
    var value: String?
    var failure: StoredError?

    func run(in call: WorkCall<ErrandStage>) async throws -> String {
      guard load == nil || load == name.padded else { throw Permanent(ErrandError()) }
      return value.map { "\(name),\($0.prefix(80))" } ?? name
    }
  }
}

struct ErrandError: Error {}

/// A handler that settles the promise of work, which only its code may do.
struct Meddle: LedgerHandler {
  static let kind = "meddle"
  let promise: DurablePromise<String>

  func run(in call: HandlerCall<Void>) throws {
    try call.fulfill(promise, "from a handler", required: false)
  }
}

extension String {
  /// The text with so much behind it that it is stored beside its event.
  var padded: String { self + String(repeating: ".", count: 9_000) }
}
