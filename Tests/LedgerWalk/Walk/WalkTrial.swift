import LedgerModel
import LedgerModelTestSupport
import LedgerOracle

/// A ledger beside the oracle, which are given the same commands.
struct WalkTrial<Subject: WalkSubject> {
  private var subject: Subject
  private(set) var oracle: Oracle
  /// The newest operation, with its answer and the state that it met.
  private(set) var triples: [UInt64] = []
  private var stepCount = 0

  /// The number of steps after which all records and lists are compared.
  private static var fullComparisonInterval: Int { 40 }

  init(_ subject: Subject) {
    self.subject = subject
    oracle = Oracle(WalkNames.constants, Subject.mode)
  }

  /// Carries out a command.
  ///
  /// - Returns: The difference between the ledger and the oracle, if there is one.
  mutating func run(_ step: OracleStep) -> String? {
    do {
      stepCount += 1
      let before = triples(before: step)
      let (answer, facts) = try subject.run(step, oracle)
      let expected = oracle.run(step)
      note(expected, before)
      if subject.foldsAlways { oracle.noteFold() }
      guard answer == expected else {
        return "The answer is \(answer), and must be \(expected)."
      }
      guard facts == oracle.facts else {
        return "The events are \(facts.text), and must be \(oracle.facts.text)."
      }
      for fact in facts {
        if let difference = try difference(of: fact) { return difference }
      }
      let isComplete = stepCount.isMultiple(of: Self.fullComparisonInterval)
      return isComplete ? try difference() : nil
    } catch {
      return "The ledger fails: \(error)"
    }
  }

  /// Compares everything, and rebuilds the ledger.
  mutating func end() -> String? {
    do {
      return try difference() ?? subject.end()
    } catch {
      return "The ledger fails: \(error)"
    }
  }

  // MARK: Comparing

  private mutating func difference(of fact: Oracle.Fact) throws -> String? {
    let id = fact.subject
    if fact.kind.isOfPromise { return try differenceOfPromise(id) }
    if fact.kind.isOfHandler { return try differenceOfHandler(id) }
    return id > 0 ? try differenceOfSession(id) : nil
  }

  private mutating func differenceOfPromise(_ id: Int) throws -> String? {
    let shown = try subject.look { state in
      try state.promise(WalkNames.promise(id)).map { entity in try Oracle.Promise(entity) }
    }
    guard shown != oracle.promises[id] else { return nil }
    return Self.text("Promise \(id)", shown, oracle.promises[id])
  }

  private mutating func differenceOfHandler(_ id: Int) throws -> String? {
    let shown = try subject.look { state in
      try state.handler(WalkNames.handler(id)).map(Oracle.Handler.init)
    }
    guard shown != oracle.handlers[id] else { return nil }
    return Self.text("Handler \(id)", shown, oracle.handlers[id])
  }

  private mutating func differenceOfSession(_ id: Int) throws -> String? {
    let shown = try subject.look { state in
      try state.session(.numbered(id)).map(Oracle.Session.init)
    }
    guard shown != oracle.sessions[id] else { return nil }
    return Self.text("Session \(id)", shown, oracle.sessions[id])
  }

  private static func text<Record>(_ name: String, _ shown: Record?, _ expected: Record?) -> String
  {
    func text(_ record: Record?) -> String { record.map { "\($0)" } ?? "nothing" }
    return "\(name) is\n  \(text(shown))\nand must be\n  \(text(expected))"
  }

  /// Compares all records, and the lists of what is open.
  private mutating func difference() throws -> String? {
    let position = try subject.look { Int($0.position.rawValue) }
    guard position == oracle.position else {
      return "The position is \(position), and must be \(oracle.position)."
    }
    for id in 1...(oracle.promises.keys.union(oracle.removedPromises).max() ?? 1) {
      if let difference = try differenceOfPromise(id) { return difference }
    }
    for id in 1...(oracle.handlers.keys.union(oracle.removedHandlers).max() ?? 1) {
      if let difference = try differenceOfHandler(id) { return difference }
    }
    for id in 1...(oracle.sessions.keys.max() ?? 1) {
      if let difference = try differenceOfSession(id) { return difference }
    }
    return try differenceOfLists()
  }

  private mutating func differenceOfLists() throws -> String? {
    let promises = oracle.promises.filter { !$0.value.isOver }
    let expected = [
      Self.inOrder(promises.filter { !$0.value.isComputed }, by: \.created),
      Self.inOrder(promises.filter { $0.value.work != nil }, by: \.created),
      Self.inOrder(oracle.handlers.filter { !$0.value.isOver }, by: \.created),
      oracle.sessions.filter { !$0.value.isEnded }.keys.sorted(),
    ]
    let shown = try subject.look { state in
      [
        try state.openPromises().map { WalkNames.number($0.id) },
        try state.openWork().map { WalkNames.number($0.id) },
        try state.openHandlers().map { WalkNames.number($0.id) },
        try state.openSessions().map { WalkNames.number($0.id) },
      ]
    }
    let names = ["open promises", "open work", "open handlers", "open sessions"]
    for (name, (shown, expected)) in zip(names, zip(shown, expected)) where shown != expected {
      return "The \(name) are \(shown), and must be \(expected)."
    }
    return nil
  }

  private static func inOrder<Record>(
    _ records: [Int: Record], by position: KeyPath<Record, Int>
  ) -> [Int] {
    records.sorted { $0.value[keyPath: position] < $1.value[keyPath: position] }.map(\.key)
  }

  // MARK: Coverage

  /// The number of the operation, and the state of each subject before it.
  private func triples(before step: OracleStep) -> [UInt64] {
    let command = step.command
    return command.subjects.map { subject in
      UInt64(command.number) << 32
        | (subject.isHandler ? oracle.handlerClass(subject.id) : oracle.promiseClass(subject.id))
    }
  }

  private mutating func note(_ answer: Oracle.Answer, _ before: [UInt64]) {
    triples.removeAll(keepingCapacity: true)
    if case .all(let answers) = answer {
      for (answer, before) in zip(answers, before) { triples.append(before | answer.number << 16) }
    } else if let first = before.first {
      triples.append(first | answer.number << 16)
    }
  }
}

extension [Oracle.Fact] {
  fileprivate var text: String {
    "[" + map { "\($0.kind) \($0.subject)" }.joined(separator: ", ") + "]"
  }
}

extension Dictionary.Keys where Element == Int {
  fileprivate func union(_ others: Set<Int>) -> Set<Int> { others.union(self) }
}
