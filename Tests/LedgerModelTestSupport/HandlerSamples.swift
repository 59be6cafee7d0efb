package import LedgerModel
package import LedgerTestSupport

extension HandlerID {
  package static func numbered(_ number: Int) -> HandlerID {
    HandlerID(entityID: .numbered(0x3_0000 + number))
  }
}

extension CallID {
  package static func numbered(_ number: Int) -> CallID {
    CallID(entityID: .numbered(0x4_0000 + number))
  }
}

extension StoredArguments {
  /// Arguments of the type `int`, by name.
  package static func sample(_ values: KeyValuePairs<String, Int>) -> StoredArguments {
    let arguments = values.map { name, value in
      StoredArgument(name: name, typeTag: "int", payload: Array(String(value).utf8))
    }
    return (try? StoredArguments(arguments)) ?? .none
  }

  /// One argument of a size.
  package static func bytes(_ count: Int) -> StoredArguments {
    let argument = StoredArgument(
      name: "bytes", typeTag: "bytes", payload: [UInt8](repeating: 7, count: count))
    return (try? StoredArguments([argument])) ?? .none
  }
}

extension ArgumentSet {
  package static func sample(_ values: KeyValuePairs<String, Int>) -> ArgumentSet {
    .of(.sample(values))
  }

  /// One argument of a size.
  package static func bytes(_ count: Int) -> ArgumentSet { .of(.bytes(count)) }

  package static func of(
    _ arguments: StoredArguments, _ references: HandlerReferences = .none
  ) -> ArgumentSet {
    (try? ArgumentSet(checking: arguments, references: references)) ?? .none
  }
}

extension HandlerCallFinished.Result {
  package static let void = HandlerCallFinished.Result.returned(typeTag: "void", bytes: [])
  package static let failure = HandlerCallFinished.Result.failed(
    StoredError(domain: "test", message: "failed"))
}

extension CreateHandler {
  /// The creation of a handler of the kind `greet`.
  package init(
    _ id: HandlerID, _ repetition: HandlerRepetition = .oneShot, kind: String = "greet",
    scopes: [String] = [], arguments: ArgumentSet = .none
  ) {
    self.init(
      id: id, HandlerDescription(kind: kind, repetition: repetition, scopes: scopes),
      arguments: arguments)
  }
}

extension StartCall {
  /// A call by a session that knows the kind `greet`.
  package init(
    _ id: HandlerID, _ call: CallID, arguments: ArgumentSet = .none,
    expectedBinding: Position? = nil
  ) {
    self.init(
      id: id, call: call, arguments: arguments, expectedBinding: expectedBinding,
      runnableKinds: ["greet"])
  }
}

extension FinishCall {
  /// The end of a call by a session that knows the kind `greet`, which has invalidation code.
  package init(
    _ id: HandlerID, _ call: CallID, attempt: UInt32 = 1,
    result: HandlerCallFinished.Result = .void,
    effects: [HandlerEffect] = []
  ) {
    self.init(
      id: id, call: call, attempt: attempt, result: result,
      effects: RequestedEffects(
        effects, runnableKinds: ["greet"], kindsWithInvalidationCode: ["greet"]))
  }
}

extension InvalidateHandler {
  /// The invalidation of a handler that has code for it.
  package init(
    _ id: HandlerID, _ call: CallID, runsCode: Bool = true, arguments: ArgumentSet = .none
  ) {
    self.init(id: id, call: call, reason: "gone", arguments: arguments, runsCode: runsCode)
  }
}

extension SeededGenerator {
  /// Up to 4 arguments with names in any order, some of them erased.
  package mutating func arguments(byteCount: Int) -> StoredArguments {
    let names = ["ä", "z", "a", "B", "aa", "😀"].shuffled(using: &self).prefix(
      .random(in: 0...4, using: &self))
    let arguments = names.map { name in
      chance(1, of: 4)
        ? StoredArgument.erasing(name)
        : StoredArgument(
          name: name, typeTag: "t\(name)", payload: bytes(.random(in: 0...byteCount, using: &self)))
    }
    return (try? StoredArguments(arguments)) ?? .none
  }

  package mutating func references() -> HandlerReferences {
    HandlerReferences(
      promises: Set((0..<Int.random(in: 0...3, using: &self)).map(PromiseID.numbered)),
      handlers: Set((0..<Int.random(in: 0...3, using: &self)).map(HandlerID.numbered)))
  }
}
