import LedgerTestSupport
package import PromiseLedger

/// Compares a ledger's whole log with the output of processes.
package struct LedgerAudit {
  /// An acknowledged operation: the line that a worker printed once the ledger had answered it.
  package struct Acknowledgement: Hashable, Sendable {
    package let kind: EventKind
    package let subject: EntityID

    /// Reads `C`, `R` or `K` and an id.
    package init?(_ line: String) {
      let words = line.split(separator: " ")
      guard words.count == 2, let id = EntityID(String(words[1])) else { return nil }
      switch words[0] {
      case "C": kind = .promiseCreated
      case "R": kind = .promiseResolved
      case "K": kind = .promiseConsumed
      default: return nil
      }
      subject = id
    }
  }

  /// An event that a worker saw.
  package struct Sighting: Hashable, Sendable {
    package fileprivate(set) var position: UInt64
    package let kind: UInt16
    package let subject: EntityID

    package init(_ event: LedgerEvent) {
      position = event.position.rawValue
      kind = event.kind.rawValue
      subject = event.subject
    }

    /// Reads `S`, a position, a kind and an id.
    package init?(_ line: String) {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 4, words[0] == "S", let position = UInt64(words[1]),
        let kind = UInt16(words[2]), let subject = EntityID(words[3])
      else { return nil }
      self.position = position
      self.kind = kind
      self.subject = subject
    }
  }

  private let events: [LedgerEvent]

  package init(_ events: [LedgerEvent]) {
    self.events = events
  }

  /// Reads the whole log.
  package init(_ inspector: BlockingInspector) throws {
    self.init(try inspector.allEvents())
  }

  package var eventCount: Int { events.count }

  /// The position of the first event of a kind.
  package func position(of kind: EventKind) -> UInt64? {
    events.first { $0.kind == kind }?.position.rawValue
  }

  package func count(of kind: EventKind) -> Int { events.count { $0.kind == kind } }

  /// The problems, at most a few of each kind.
  package func findings(acknowledged: [String], sightings: [Sighting] = []) -> [String] {
    gaps() + repetitions() + disorder() + losses(acknowledged) + phantoms(sightings)
  }

  private func gaps() -> [String] {
    for (index, event) in events.enumerated() where event.position.rawValue != UInt64(index + 1) {
      return ["position \(event.position) stands where \(index + 1) belongs"]
    }
    return []
  }

  private func repetitions() -> [String] {
    var seen: Set<Sighting> = []
    var findings: [String] = []
    for event in events where Self.onceOnly.contains(event.kind) {
      var what = Sighting(event)
      what.position = 0
      if !seen.insert(what).inserted {
        findings.append("second \(event.kind) of \(event.subject) at \(event.position)")
      }
    }
    return findings
  }

  private static let onceOnly: Set<EventKind> = [
    .ledgerCreated, .promiseCreated, .promiseResolved, .promiseConsumed, .promiseAbandoned,
    .sessionOpened, .sessionClosed,
  ]

  /// Resolved only when created, consumed only when resolved.
  private func disorder() -> [String] {
    var happened: [EntityID: EventKind] = [:]
    var findings: [String] = []
    for event in events {
      let expected: EventKind? =
        switch event.kind {
        case .promiseResolved: .promiseCreated
        case .promiseConsumed: .promiseResolved
        case .promiseCreated: nil
        default: happened[event.subject]
        }
      if happened[event.subject] != expected {
        findings.append("\(event.kind) of \(event.subject) at \(event.position) came too early")
      }
      happened[event.subject] = event.kind
    }
    return findings
  }

  private func losses(_ acknowledged: [String]) -> [String] {
    let stored = Set(events.map { "\($0.kind) \($0.subject)" })
    return acknowledged.compactMap { line in
      guard let what = Acknowledgement(line) else { return nil }
      return stored.contains("\(what.kind) \(what.subject)") ? nil : "lost \(line)"
    }
  }

  private func phantoms(_ sightings: [Sighting]) -> [String] {
    let stored = Set(events.map(Sighting.init))
    return sightings.filter { !stored.contains($0) }.map { "seen and not there: \($0)" }
  }
}
