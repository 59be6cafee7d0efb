/// The reason why this build cannot run pending work of the ledger.
public struct WorkProblem: Sendable {
  /// The promise of the work.
  public let promise: PromiseID
  /// The stable name of its kind.
  public let kind: String
  /// The reason why this build cannot run the work.
  ///
  /// Its code is `handlerUnregistered`, `argumentMissing`, `argumentMismatch`, `decodingFailed`,
  /// `invalidArgument` (a type that splits its arguments), `unsupportedEvent` or `corrupt`.
  public let error: LedgerError
}

extension Ledger {
  /// The pending work that this session cannot run, with the reasons: work that is due, waits, is parked, or runs in
  /// another session.
  ///
  /// The reason may be that the session does not know the kind, that the arguments do not match its parameters, or
  /// that it cannot read the events of the work. For work that continues a promise, the type of the promise's value is
  /// compared with the parameter `value`, even before there is a value. The results of steps are not compared, because
  /// only code that runs says which types it expects.
  ///
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(n) in the amount of pending work, whose arguments are decoded.
  public func workPreflight() async throws -> [WorkProblem] {
    let pending = try await engine.read(fromCopy: true) { state in
      try state.openWork().filter { $0.status == .pending }
        .map { ($0, state.blocked[$0.id.entityID]) }
    }
    var problems: [WorkProblem] = []
    for (entity, blocked) in pending {
      guard let work = try entity.creation().work else { continue }
      let error =
        if let blocked {
          blocked.refusal(of: entity.id.entityID)
        } else {
          try await problem(of: entity, work)
        }
      if let error {
        problems.append(WorkProblem(promise: entity.id, kind: work.kind, error: error))
      }
    }
    return problems
  }

  /// The reason why this session cannot run work; `nil` if it can.
  func problem(
    of entity: PromiseEntity, _ work: PromiseCreated.Work
  ) async throws -> LedgerError? {
    let name = CodeName.work(entity.id, kind: work.kind)
    guard let registration = configuration.handlers[work: work.kind] else {
      return LedgerError(
        .handlerUnregistered,
        "\(name): this session does not know the kind. Register it, or one with this former name, in the configuration's handlers before the ledger is opened."
      )
    }
    do {
      let awaited = try await typeOfValue(awaitedBy: work.trigger)
      let source = ArgumentSource(
        handler: name, bound: try await records.load(entity.workArguments(work)),
        given: awaited, typedOnly: Set(awaited.arguments.map(\.name)))
      let isComplete = work.trigger.awaited.isEmpty
      return source.probe(registration.type, in: self, isComplete: isComplete).problem
    } catch let error as LedgerError where error.code == .corrupt {
      // Damaged work does not prevent checking the rest.
      return error
    }
  }

  /// The argument that work receives if the promise that it continues is fulfilled, without its value.
  private func typeOfValue(
    awaitedBy trigger: WorkTrigger
  ) async throws -> StoredArguments {
    guard case .after(let id, let settlement) = trigger, settlement != .failed,
      let promise = try await engine.read({ try $0.readablePromise(id) }),
      promise.status == .pending || promise.resolution?.outcome == .fulfilled
    else { return .none }
    // An integer without a type of its own fits into any type of number, if it is small.
    return try StoredArguments([
      StoredArgument(name: "value", typeTag: promise.creation().typeTag, payload: [0x30])
    ])
  }
}
