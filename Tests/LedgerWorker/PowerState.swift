import LedgerSystem
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// One ledger after a power cut.
struct PowerState {
  let path: String
  /// The position up to which events were acknowledged; `nil` if not even the ledger was.
  let acknowledged: UInt64?
  let reference: PowerReference

  /// Notes an acknowledged position in the words that processes share, as if they had reached the disk.
  func keep(mark position: Position) throws {
    let directory = LedgerDirectory(path)
    // A ledger without it is refused, whatever the mark says.
    guard let generation = try? directory.readCurrentGeneration() else { return }
    let isThere = try [directory.wake, directory.generation(generation) + "/data.mdb"].allSatisfy {
      try FileSystem.kind($0) == .file
    }
    // A ledger that is gone is found elsewhere.
    guard isThere, position > .start else { return }
    let words = try SharedWords(path: directory.wake)
    defer { words.close() }
    try AcknowledgedMark(of: reference.id, in: directory, generation: generation)
      .move(to: position, in: words)
  }

  /// Compares the contents with the history.
  ///
  /// - Returns: The position of the last event.
  func checkContent() throws -> Position {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    _ = try inspector.verify { finding in throw LedgerError(.corrupt, "\(finding)") }
    let head = try inspector.head
    try require(
      head.rawValue >= acknowledged ?? 0,
      .loss("The last event is \(head), and \(acknowledged ?? 0) was acknowledged."))
    try require(
      head.rawValue <= reference.events.count, .wrong("Event \(head) was never written."))
    try compare(try inspector.allEvents(), inspector)
    try require(
      try inspector.digests() == reference.digests(at: head),
      .wrong("The state at position \(head) is not what it was."))
    return head
  }

  /// Compares the snapshot with the history, and everything with the snapshot.
  func checkSnapshot() throws {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    _ = try inspector.verify { finding in throw LedgerError(.corrupt, "\(finding)") }
    let summary = try inspector.store.snapshotSummary()
    guard summary.position.rawValue <= reference.events.count else { return }
    let digests = try reference.digests(at: summary.position)
    try require(
      digests.state == summary.stateDigest && digests.log == summary.logDigest,
      .wrong("The snapshot at position \(summary.position) is not what it was."))
  }

  private func compare(_ events: [LedgerEvent], _ inspector: BlockingInspector) throws {
    for event in events {
      let original = reference.events[Int(event.position.rawValue) - 1]
      try require(event == original, .wrong("Event \(event.position) is not what it was."))
      guard event.attachmentByteCount > 0 else { continue }
      try require(
        try inspector.attachment(of: event) == reference.attachment(of: original),
        .wrong("The value of event \(event.position) is not what it was."))
    }
  }

  /// Checks that no step ran again whose result was kept.
  ///
  /// - Parameters:
  ///   - steps: The bodies that ran after the power cut.
  ///   - head: The last event before that.
  func check(_ steps: [(stage: Int, journey: PromiseID)], after head: Position) throws {
    guard !steps.isEmpty else { return }
    var kept: [PromiseID: Int] = [:]
    for event in reference.events.prefix(Int(head.rawValue)) where event.kind == .workStepFinished {
      kept[PromiseID(entityID: event.subject), default: 0] += 1
    }
    for step in steps {
      try require(
        step.stage >= kept[step.journey, default: 0],
        .wrong("Stage \(step.stage) of \(step.journey) was kept, and ran again."))
    }
  }

  /// Checks the ledger after more was written to it: nothing before that changed.
  ///
  /// - Returns: The sessions that did not end.
  func checkNextLife(after head: Position) throws -> [EntityID] {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    let events = try inspector.allEvents()
    let old = events.prefix { $0.position <= head }
    try compare(Array(old), inspector)
    let new = events.dropFirst(old.count)
    try require(
      zip(new, (head.rawValue + 1)...).allSatisfy { $0.position.rawValue == $1 },
      .wrong("The positions after \(head) are not those that come next."))
    try require(
      new.contains { $0.kind == .promiseResolved }, .loss("What was written is not there."))
    var open: Set<EntityID> = []
    for event in reference.events.prefix(Int(head.rawValue)) + new {
      if event.kind == .sessionOpened { open.insert(event.subject) }
      if event.kind == .sessionClosed { open.remove(event.subject) }
    }
    return open.sorted()
  }
}

/// What must not be after a power cut.
enum PowerFinding: Error {
  /// Something that was acknowledged is gone.
  case loss(String)
  /// Something else is not right.
  case wrong(String)

  var kind: String {
    switch self {
    case .loss: "lost"
    case .wrong: "wrong"
    }
  }

  var text: String {
    switch self {
    case .loss(let text), .wrong(let text): text
    }
  }
}

func require(_ condition: Bool, _ finding: @autoclosure () -> PowerFinding) throws {
  if !condition { throw finding() }
}
