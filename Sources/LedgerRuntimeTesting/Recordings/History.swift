import LedgerModel
import LedgerRuntime

/// The events that a ledger keeps, with their large values, as the recordings of tests compare them.
struct History: Sendable {
  /// An event with the value that is stored beside it.
  struct Entry: Sendable, Hashable {
    let event: LedgerEvent
    let attachment: [UInt8]
  }

  private(set) var entries: [Entry] = []
  private var names = EntityNames()
  private let ledger: InMemoryLedger

  init(of ledger: InMemoryLedger) throws(LedgerError) {
    self.ledger = ledger
    let head = ledger.head()
    var position = try ledger.snapshotSummary().deletedThrough
    while position < head {
      let stored = try ledger.storedEvents(after: position, through: head, limit: 1_000)
      guard let last = stored.last else { throw .missingEvents(after: position) }
      for (event, attachment) in stored {
        let event = LedgerEvent(copying: event.view)
        try? names.add(event)
        entries.append(Entry(event: event, attachment: try attachment.get()))
      }
      position = last.event.position
    }
  }

  /// The first difference of another history from this one, which was recorded.
  func divergence(of other: History) -> RecordingDivergence {
    let index = zip(entries, other.entries).prefix { $0 == $1 }.count
    let (expected, actual) = (
      entries.dropFirst(index).first, other.entries.dropFirst(index).first
    )
    let first = expected ?? actual
    guard let first else {
      return RecordingDivergence(
        .otherEvent, expected: "the recorded text", actual: "other text for the same events")
    }
    var expectedWords = expected.map(words) ?? "no further event"
    var actualWords = actual.map(other.words) ?? "no further event"
    if let expected, let actual, expectedWords == actualWords {
      expectedWords += expected.distinction(from: actual)
      actualWords += actual.distinction(from: expected)
    }
    return RecordingDivergence(
      .otherEvent, at: first.event.position, of: first.event.subject, expected: expectedWords,
      actual: actualWords, context: entries.dropFirst(max(0, index - 3)).prefix(6).map(words))
  }

  /// An event in one line, with the beginnings of its values.
  private func words(_ entry: Entry) -> String {
    let event = entry.event
    guard let isJoint = try? names.isResolutionOfJoint(event, in: ledger),
      let line = try? EventLine(event, attachment: entry.attachment, isJoint: isJoint)
    else { return event.words }
    return "\(event.position) at \(event.time): \(line.shortened(to: 200).words(names))"
  }
}

extension History.Entry {
  /// The first part that differs between two events whose lines are equal.
  fileprivate func distinction(from other: Self) -> String {
    let parts: [(String, [UInt8], [UInt8])] = [
      ("payload", event.payload, other.event.payload), ("value", attachment, other.attachment),
    ]
    for (name, own, others) in parts where own != others {
      let offset = zip(own, others).prefix { $0 == $1 }.count
      let next = own.dropFirst(offset).prefix(32)
      return ", \(name) of \(own.count) bytes, from byte \(offset): \([UInt8](next).asText)"
    }
    let cause = event.cause.map { "\($0)" } ?? "none"
    return ", version \(event.version), session \(event.session), cause \(cause)"
  }
}

extension EventLine {
  /// The line with the first characters of each fact.
  fileprivate func shortened(to count: Int) -> EventLine {
    EventLine(kind: kind, subject: subject, facts: facts.map { $0.shortened(to: count) })
  }
}
