import ArgumentParser
import LedgerRuntime

/// The two states that are compared.
struct DiffSides {
  struct Side {
    let name: String
    var position: Position?
  }

  let first: Side
  let second: Side

  /// - Throws: `ValidationError` unless the words name two sides.
  init(_ words: [String]) throws {
    var rest = words[...]
    func position() -> Position? {
      guard let word = rest.first, word.allSatisfy({ $0.isASCII && $0.isWholeNumber }),
        let number = UInt64(word)
      else { return nil }
      rest = rest.dropFirst()
      return Position(rawValue: number)
    }
    guard let name = rest.popFirst() else { throw ValidationError("Give two sides to compare.") }
    var first = Side(name: name)
    first.position = position()
    var second = Side(name: rest.first ?? name)
    if let later = position() {
      second = Side(name: name, position: later)
    } else if rest.popFirst() != nil {
      second.position = position()
    } else if first.position == nil {
      throw ValidationError("Give a second side: a ledger, an archive or a position.")
    }
    guard rest.isEmpty else { throw ValidationError("Give two sides, each with one position.") }
    (self.first, self.second) = (first, second)
  }

  /// Runs `body` on both states.
  func withStates(
    _ access: SharedAccessOptions, _ sink: any TextSink, _ body: (StateDifference) throws -> Void
  ) throws {
    let alive = { () -> Void in try? sink.alive() }
    let inspector = try open(first, access, sink)
    let progress = sink.progress(through: inspector)
    guard !access.areSame(first.name, second.name) else {
      return try inspector.withReplays(
        through: first.position, second.position, progress: progress
      ) {
        try body(StateDifference(before: $0, after: $1, isOfOneLedger: true, alive: alive))
      }
    }
    let other = try open(second, access, sink)
    if inspector.id != other.id {
      try sink.note("These are two ledgers: \(inspector.id) and \(other.id).")
    }
    try inspector.withReplay(through: first.position, progress: progress) { before in
      try other.withReplay(through: second.position, progress: sink.progress(through: other)) {
        after in
        try body(
          StateDifference(before: before, after: after, isOfOneLedger: false, alive: alive))
      }
    }
  }

  private func open(
    _ side: Side, _ access: SharedAccessOptions, _ sink: any TextSink
  ) throws -> BlockingInspector {
    guard access.isArchive(side.name) else { return try access.open(side.name) }
    let rebuilt = try RebuiltRecording.read(side.name, access, sink)
    return BlockingInspector(InMemoryInspection(rebuilt.ledger, rebuilt.metadata))
  }
}

extension RebuiltRecording {
  /// Rebuilds the ledger of any archive, with signs of life: reading it tells nothing about its progress.
  static func read(
    _ path: String, _ patience: some PatienceOptions, _ sink: any TextSink
  ) throws -> RebuiltRecording {
    let work = try BackgroundWork<RebuiltRecording, Never> { _ in try rebuilt(path) }
    return try work.wait(every: patience.pulseInterval, for: .seconds(86_400), sink.alive) { _ in }
  }

  private static func rebuilt(_ path: String) throws(LedgerError) -> RebuiltRecording {
    try RebuiltRecording(path, as: .ofAnyArchive)
  }
}
