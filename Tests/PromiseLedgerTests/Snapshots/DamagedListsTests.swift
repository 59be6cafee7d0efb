import LedgerLMDB
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Lists and tombstones of a snapshot with flipped bytes, and with entries lost, added and
/// exchanged. Every walk reports the damage, or does not need the damaged entries; none gives
/// another answer.
@Suite(.timeLimit(.minutes(10))) struct DamagedListsTests {
  private typealias Entry = (key: [UInt8], value: [UInt8])

  /// The answers that are found by walking through lists.
  private enum Reading: CaseIterable {
    case promises, handlers, statistics, plan, digests, archive, sessions, calls, deadlines, scopes
    case running, removed

    private static let statuses: [PromiseRecord.Status] = [
      .pending, .resolved, .consumed, .abandoned,
    ]

    func answer(_ inspector: BlockingInspector, _ ids: [EntityID]) throws -> [String] {
      switch self {
      case .promises:
        var found: [String] = []
        try inspector.replay().forEachPromise(Set(Self.statuses)) {
          found.append("\($0)")
          return true
        }
        return found
      case .handlers:
        var found: [String] = []
        try inspector.replay().forEachHandler(includesClosed: true) {
          found.append("\($0)")
          return true
        }
        return found
      case .statistics:
        let counts = try inspector.statistics()
        return Self.statuses.map { "\(counts.promiseCounts[$0] ?? 0)" } + [
          "\(counts.openHandlerCount) \(counts.closedHandlerCount)",
          "\(counts.sessionCount) \(counts.openSessionCount)",
        ]
      case .plan:
        let now = Timestamp(nanosecondsSinceEpoch: 2_000_000_000_000_000_000)
        return ["\(try inspector.plan(CompactionSample.everything, now: now))"]
      case .digests: return ["\(try inspector.digests())"]
      case .archive: return ["\(try inspector.archive().count)"]
      default: return try answer(LedgerState.replayed(from: inspector.store), ids)
      }
    }

    private func answer(_ state: LedgerState, _ ids: [EntityID]) throws -> [String] {
      switch self {
      case .sessions: try state.openSessions().map { "\($0)" }
      case .calls: try state.openCalls().map { "\($0)" }
      case .deadlines:
        try state.due(at: Timestamp(nanosecondsSinceEpoch: .max), limit: .max).map { "\($0)" }
      case .scopes:
        try ["old", "recent", "new"].flatMap { scope in
          try state.activeHandlers(inScope: scope).map { "\(scope) \($0.id)" }
        }
      case .running:
        try ids.flatMap { try state.runningHandlers(of: SessionID(entityID: $0)) }.map { "\($0)" }
      default: try ids.map { "\(try state.isTombstone($0))" }
      }
    }
  }

  /// A ledger with entries in every list, and the answers about it.
  private struct Subject {
    let ledger: TemporaryLedger
    let open: [Entry]
    let tombstones: [Entry]
    let ids: [EntityID]
    var answers: [Reading: [String]] = [:]

    init(_ ledger: TemporaryLedger) throws {
      self.ledger = ledger
      open = try CompactedLedger.entries(of: "open", at: ledger.path)
      tombstones = try CompactedLedger.entries(of: "tombstones", at: ledger.path)
      let records = try CompactedLedger.entries(of: "entities", at: ledger.path)
      ids = try (records + tombstones).map { try SnapshotRecord.id(ofKey: $0.key) }
      let inspector = try BlockingInspector(at: ledger.path)
      for reading in Reading.allCases { answers[reading] = try reading.answer(inspector, ids) }
    }

    /// The problems with the answers once some entries are replaced by others.
    func problems(_ what: String, _ table: String, _ old: [Entry], _ new: [Entry]) throws
      -> [String]
    {
      try replace(old, by: new, in: table)
      defer { try? replace(new, by: old, in: table) }
      let inspector = try BlockingInspector(at: ledger.path)
      var problems: [String] = []
      // Looking up one tombstone cannot show that it should be there.
      let isLookedUp = table == "open" || old.map(\.key) == new.map(\.key)
      for reading in Reading.allCases where isLookedUp || reading != .removed {
        do {
          if try reading.answer(inspector, ids) != answers[reading] {
            problems.append("\(reading) with \(what): another answer")
          }
        } catch let error as LedgerError {
          if error.code != .corrupt { problems.append("\(reading) with \(what): \(error)") }
        }
      }
      var isFound = false
      _ = try inspector.verify { _ in isFound = true }
      if !isFound { problems.append("verify with \(what): nothing found") }
      inspector.close()
      return problems
    }

    private func replace(_ old: [Entry], by new: [Entry], in table: String) throws {
      try CompactedLedger.edit(ledger.path) { transaction, tables in
        let table = try tables(table)
        for entry in old { _ = try transaction.delete(forKey: entry.key.span, in: table) }
        for entry in new {
          try transaction.put(entry.value.span, forKey: entry.key.span, in: table)
        }
      }
    }
  }

  private static func check(_ ledger: TemporaryLedger, lists: String) throws {
    let subject = try Subject(ledger)
    #expect(Set(subject.open.map { $0.key[0] }) == Set(lists.utf8))
    var problems: [String] = []
    var count = 0
    for (table, entries) in [("open", subject.open), ("tombstones", subject.tombstones)] {
      #expect(!entries.isEmpty, "\(table)")
      for (index, entry) in entries.enumerated() {
        let name = table == "open" ? "an entry of \(UnicodeScalar(entry.key[0]))" : "a tombstone"
        func check(_ what: String, _ old: [Entry], _ new: [Entry]) throws {
          problems += try subject.problems("\(name), \(what)", table, old, new)
          count += 1
        }
        try check("lost", [entry], [])
        for (number, change) in Self.changes(of: entry).enumerated()
        where (number + index).isMultiple(of: 3) {
          try check(change.0, [entry], [change.1])
        }
        guard index.isMultiple(of: 2) else { continue }
        let next = entries[(index + 1) % entries.count]
        if next.value != entry.value {
          try check(
            "exchanged", [entry, next], [(entry.key, next.value), (next.key, entry.value)])
        }
        var alien = entry
        alien.key[alien.key.count - 3] ^= 0x55
        try check("added", [], [alien])
      }
    }
    print("\(count) damaged lists: \(problems.count) wrong answers")
    #expect(problems.prefix(40) == [])
  }

  /// The entry with bits turned over at the beginning, in the middle and at the end.
  private static func changes(of entry: Entry) -> [(String, Entry)] {
    let places = { (count: Int) in Set([0, count / 2, count - 1].filter { 0..<count ~= $0 }) }
    let bit = UInt8(1) << UInt8(entry.key.count % 8)
    var changes: [(String, Entry)] = []
    for place in places(entry.key.count).sorted() {
      var changed = entry
      changed.key[place] ^= bit
      changes.append(("byte \(place) of its key turned over", changed))
    }
    for place in places(entry.value.count).sorted() {
      var changed = entry
      changed.value[place] ^= bit
      changes.append(("byte \(place) of its value turned over", changed))
    }
    changes.append(("longer", (entry.key, entry.value + [0])))
    if !entry.value.isEmpty { changes.append(("empty", (entry.key, []))) }
    return changes
  }

  @Test func noWalkGivesAnotherAnswer() throws {
    try Self.check(FormatFixtureTests.copy(1), lists: "cdhpsx")
  }

  /// A walk through the handlers of one scope, or of one session, sees only a part of a list: the
  /// number of entries of the whole list reveals a missing entry.
  @Test(arguments: [OpenList.Kind.scopes, .running, .deadlines])
  func aPartIsComparedWithItsWholeList(kind: OpenList.Kind) throws {
    var count = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 20)
      try subject.fold()
      let store = subject.store
      for entry in try Self.entries(of: kind, in: store) {
        // As many entries as before, with checksums that fit.
        let alien = OpenEntry(
          key: OpenList.closed.key(.numbered(9), order: 1_000_000), value: [UInt8](hex: "0011"))
        try Self.change([(entry.key, nil), (alien.key, alien.stored)], store)
        let state = try LedgerState.tail(of: store)
        let error = #expect(throws: LedgerError.self, "\(entry)") {
          for list in subject.lists(of: kind) { _ = try list(state) }
        }
        #expect(error?.code == .corrupt && error?.message.contains(kind.name) == true, "\(entry)")
        try Self.change([(entry.key, entry.stored), (alien.key, nil)], store)
        for list in subject.lists(of: kind) { _ = try list(.tail(of: store)) }
        count += 1
      }
    }
    #expect(count > 5)
  }

  /// The checksum fits, but the record does not have the entry. The ledger has no work.
  @Test(arguments: OpenList.Kind.original)
  func anEntryThatItsRecordDoesNotAskForIsFound(kind: OpenList.Kind) throws {
    var entries: [OpenEntry] = []
    var store: any EventStore = InMemoryEventStore()
    for seed in 1...20 as ClosedRange<UInt64> where entries.isEmpty {
      let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 20)
      try subject.fold()
      store = subject.store
      entries = try Self.entries(of: kind, in: store)
    }
    let first = try #require(entries.first)
    for entry in entries {
      let other = OpenEntry(key: entry.key, value: entry.value + [1])
      try Self.change([(entry.key, other.stored)], store)
      let error = #expect(throws: LedgerError.self, "\(entry)") {
        _ = try SnapshotReader(store).entities(listedBy: [other])
      }
      #expect(
        error?.code == .corrupt && error?.message.contains("contradicts it") == true, "\(entry)")
      try Self.change([(entry.key, entry.stored)], store)
      #expect(
        try SnapshotReader(store).entities(listedBy: [entry]).map(\.id) == [entry.id], "\(entry)")
    }
    let alien = OpenEntry(key: [kind.rawValue] + first.key.dropFirst().map { ~$0 }, value: [])
    let error = #expect(throws: LedgerError.self) {
      _ = try SnapshotReader(store).entities(listedBy: [alien])
    }
    #expect(error?.code == .corrupt && error?.message.contains("no record") == true)
  }

  private static func entries(
    of kind: OpenList.Kind, in store: any EventStore
  ) throws -> [OpenEntry] {
    try store.readSnapshot { (tables) throws(LedgerError) in
      var entries: [OpenEntry] = []
      try tables.scan(.open, from: [kind.rawValue]) { (key, stored) throws(LedgerError) in
        guard key[0] == kind.rawValue else { return false }
        entries.append(try OpenEntry(key: key, stored: stored))
        return true
      }
      return entries
    }
  }

  private static func change(
    _ entries: [(key: [UInt8], value: [UInt8]?)], _ store: any EventStore
  ) throws {
    try store.damage(entries.map { TableChange(.open, $0.key, $0.value) })
  }
}

extension CompactedStore {
  /// The functions that read parts of a list.
  fileprivate func lists(of kind: OpenList.Kind) -> [(LedgerState) throws -> Int] {
    switch kind {
    case .scopes:
      ["room", "house"].map { scope in { try $0.activeHandlers(inScope: scope).count } }
    case .running:
      (1...4).map { number in { try $0.runningHandlers(of: .numbered(number)).count } }
    default: [{ try $0.due(at: .at(.max), limit: .max).count }]
    }
  }
}
