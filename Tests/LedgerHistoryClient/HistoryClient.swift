import LedgerLinearizability
import LedgerRuntime

/// Makes requests of a ledger, and notes them with their answers.
struct HistoryClient: Sendable {
  let ledger: Ledger
  let notes: HistoryNotes
  let recordsConsumption: Bool
  let staleState: ReplayedLedger?

  /// Makes a request, and notes its answer.
  func make(_ choice: HistoryChoice) async {
    let id = notes.makeID()
    if case .callHandler = choice.request {
      notes.call(id, choice.object, "call \(ledger.session)")
    } else {
      notes.call(id, choice.object, words(of: choice.request))
    }
    do {
      let answer = try await answer(to: choice, id)
      notes.answer(id, answer)
    } catch is CancellationError {
      notes.answer(id, "nothing")
    } catch let error as LedgerError where [.writerStalled, .unavailable].contains(error.code) {
      notes.answer(id, "nothing")
    } catch let error as LedgerError where error.code == .commitOutcomeUnknown {
      notes.answer(id, "unknown")
    } catch let error as LedgerError {
      notes.answer(id, "\(error.code)")
    } catch {
      notes.answer(id, "error \(error)")
    }
  }

  private func words(of request: HistoryChoice.Request) -> String {
    switch request {
    case .promise(.consume): "\(PromiseRequest.consume(session: "\(ledger.session)"))"
    case .consumeWithCode: "consume-after \(ledger.session)"
    case .promise(let request): "\(request)"
    case .promiseInTakenState: "\(PromiseRequest.read)"
    case .handler(let request): "\(request)"
    case .callHandler: "call \(ledger.session)"
    case .work(let request): "\(request)"
    }
  }

  private func answer(to choice: HistoryChoice, _ call: String) async throws -> String {
    let key = choice.object
    switch choice.request {
    case .promise(let request): return try await answer(to: request, about: PromiseKey(key))
    case .consumeWithCode: return try await consumption(of: PromiseKey(key), call)
    case .promiseInTakenState:
      // Such a state does not change: the read counts from the moment at which it was taken.
      let state = try await ledger.state()
      await Task.yield()
      return Self.text(try state.record(of: PromiseKey(key).promiseID))
    case .handler(let request): return try await answer(to: request, about: HandlerKey(key))
    case .callHandler:
      try await ledger.handler(forKey: HandlerKey(key)).call(with: call)
      return "returned"
    case .work(let request): return try await answer(to: request, aboutWork: key)
    }
  }

  // MARK: Promises

  private func answer(
    to request: PromiseRequest, about key: PromiseKey
  ) async throws -> String {
    let promise = try ledger.promise(id: key.promiseID, of: String.self)
    switch request {
    case .create(let isStrict):
      let creation = try await ledger.createPromiseIfAbsent(
        key: key, of: String.self, deadline: ledger.now + .seconds(86_400), strict: isStrict)
      switch creation {
      case .created: return "created"
      case .deduplicated: return "deduplicated"
      case .conflict: return "conflict"
      }
    case .settle(let outcome, let requestKey, let isStrict):
      return Self.text(
        try await promise.resolve(
          with: Self.outcome(outcome),
          idempotencyKey: try requestKey.map { try IdempotencyKey($0) }, strict: isStrict))
    case .abandon:
      switch try await promise.abandon(reason: "") {
      case .abandoned: return "abandoned"
      case .alreadyConsumed: return "alreadyConsumed"
      case .alreadySettled: return "alreadySettled"
      case .notFound: return "notFound"
      }
    case .consume:
      guard recordsConsumption else { return try await value(of: promise) }
      do {
        return "value \(Self.text(.fulfilled(try await promise.consume())))"
      } catch let failure as PromiseFailure {
        return "value \(Self.text(failure))"
      }
    case .handle, .consumeHandled: throw HistoryUsageError(what: "no process asks for \(request)")
    case .read:
      if let staleState { return Self.text(try staleState.record(of: promise.id)) }
      return Self.text(try await promise.record)
    case .outcome: return try await value(of: promise)
    }
  }

  private func consumption(of key: PromiseKey, _ call: String) async throws -> String {
    let promise = try ledger.promise(id: key.promiseID, of: String.self)
    let text = try await promise.consume { outcome in
      notes.code(of: call, value: Self.text(outcome))
      return Self.text(outcome)
    }
    return "value \(text)"
  }

  private func value(of promise: DurablePromise<String>) async throws -> String {
    "value \(Self.text(try await promise.outcome))"
  }

  // MARK: Handlers

  private func answer(
    to request: HandlerRequest, about key: HandlerKey
  ) async throws -> String {
    let handler = ledger.handler(forKey: key)
    switch request {
    case .create(let value, let isRepeating):
      let creation = try await ledger.createHandler(
        ObservedHandler(value: value), key: key, repetition: isRepeating ? .repeating : .oneShot)
      if case .exists = creation { return "exists" }
      return "created"
    case .rebind(let value):
      try await handler.rebind(["value": value])
      return "rebound"
    case .invalidate:
      try await handler.invalidate()
      return "invalidated"
    case .read:
      guard let record = try await handler.record else { return "none" }
      let bound = record.bound.arguments.first.map { String(decoding: $0.payload, as: UTF8.self) }
      return "\(record.status) \((bound ?? "").filter { $0 != "\"" })"
    default: throw HistoryUsageError(what: "no process asks for \(request)")
    }
  }

  // MARK: Work

  private func answer(
    to request: WorkRequest, aboutWork object: String
  ) async throws -> String {
    let key = try PromiseKey(object)
    switch request {
    case .start:
      try await ledger.start(ObservedWork(object: object), key: key)
      return "started"
    case .cancel(let reason):
      switch try await ledger.cancelWork(key.promiseID, reason: reason) {
      case .cancelled: return "cancelled"
      case .requested: return "requested"
      case .alreadyEnded(let record): return "alreadyEnded \(Self.outcomeText(record))"
      case .notFound: return "notFound"
      }
    case .force(let outcome):
      return Self.text(
        try await ledger.forceOutcome(
          try Self.outcome(outcome).map { _ in StoredValue(typeTag: "", bytes: []) },
          of: key.promiseID))
    case .read: return Self.text(try await ledger.record(forKey: key))
    case .outcome:
      return try await value(of: ledger.promise(id: key.promiseID, of: String.self))
    case .codeReturns: throw HistoryUsageError(what: "no process asks for \(request)")
    }
  }
}

// MARK: - Texts

extension HistoryClient {
  private static func outcome(_ text: String) throws -> PromiseOutcome<String> {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.last) {
    case ("fulfilled", let value?): return .fulfilled(value)
    case ("rejected", let value?): return .rejected(StoredError(domain: "history", message: value))
    case ("cancelled", let value?): return .cancelled(reason: value)
    default: throw HistoryUsageError(what: "no outcome \(text)")
    }
  }

  private static func text(_ outcome: PromiseOutcome<String>) -> String {
    switch outcome {
    case .fulfilled(let value): "fulfilled:\(value)"
    case .rejected(let error): "rejected:\(error.message)"
    case .cancelled(let reason): "cancelled:\(reason)"
    case .timedOut: "timedOut:"
    }
  }

  private static func text(_ failure: PromiseFailure) -> String {
    switch failure {
    case .rejected(let error): "rejected:\(error.message)"
    case .cancelled(let reason): "cancelled:\(reason)"
    default: "timedOut:"
    }
  }

  private static func outcomeText(_ record: PromiseRecord) -> String {
    guard let outcome = record.outcome else { return "" }
    // The value is a text in JSON.
    return text(outcome.map { String(decoding: $0.bytes, as: UTF8.self).filter { $0 != "\"" } })
  }

  private static func text(_ record: PromiseRecord?) -> String {
    guard let record else { return "none" }
    switch record.status {
    case .pending, .abandoned: return "\(record.status)"
    default: return "\(record.status) \(outcomeText(record))"
    }
  }

  private static func text(_ resolution: PromiseResolution) -> String {
    switch resolution {
    case .resolved: "resolved"
    case .deduplicated(let record): "deduplicated \(outcomeText(record))"
    case .alreadyResolved(let record): "alreadyResolved \(outcomeText(record))"
    case .abandoned: "abandoned"
    case .notFound: "notFound"
    }
  }
}
