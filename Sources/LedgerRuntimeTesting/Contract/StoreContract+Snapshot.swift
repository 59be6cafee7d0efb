import LedgerModel
import LedgerRuntime

extension StoreContract {
  /// The rules for the tables of a snapshot.
  static let snapshotRules = [
    Rule("A new store has no snapshot") { (subject: StoreSubject) in
      try requireEqual(subject.store.snapshotSummary(), SnapshotSummary(), "the summary")
      try require(try SnapshotReader(subject.store).isEmpty, "there are records")
    },
    Rule("Every record of a snapshot comes back as it was put") { contract in
      let (subject, state) = try await contract.makeFilledSubject()
      let reader = try SnapshotReader(subject.store)
      try requireEqual(reader.position, state.position, "the position of the snapshot")
      for entity in state.overlaid {
        try require(
          try reader.entity(entity.id) == entity, "the record of \(entity.id) came back changed")
      }
      try requireEqual(
        reader.entity(EntityID(high: 9, low: 9)), nil, "a record that was never put")
    },
    Rule("A table is walked from any key, in the order of its keys") { contract in
      let (subject, _) = try await contract.makeFilledSubject()
      try subject.store.readSnapshot { (tables) throws(LedgerError) in
        do {
          for table in [SnapshotTable.entities, .open] { try checkWalks(of: table, in: tables) }
        } catch let broken as BrokenRule {
          throw LedgerError(.internalInconsistency, broken.message)
        } catch {
          throw LedgerError(.internalInconsistency, "\(error)")
        }
      }
    },
    Rule("A record that is removed leaves nothing") { contract in
      let (subject, state) = try await contract.makeFilledSubject()
      var edit = SnapshotEdit(try subject.store.snapshotSummary())
      let reader = try SnapshotReader(subject.store)
      for entity in state.overlaid {
        guard let stored = try reader.records([entity.id]).first ?? nil else {
          throw BrokenRule(message: "\(entity.id) has no record")
        }
        _ = try edit.remove(entity.id, stored)
      }
      try subject.store.apply(edit, patience: Patience(.seconds(5)))
      try requireEqual(subject.store.snapshotSummary(), edit.new, "the summary")
      for table in [SnapshotTable.entities, .parts, .open] {
        let count = try subject.store.readSnapshot { (tables) throws(LedgerError) in
          try tables.entryCount(of: table)
        }
        try requireEqual(count, 0, "the number of entries in \(table)")
      }
    },
    Rule("A snapshot that moved is not changed") { contract in
      let (subject, _) = try await contract.makeFilledSubject()
      let summary = try subject.store.snapshotSummary()
      var edit = SnapshotEdit(SnapshotSummary())
      edit.new.position = Position(rawValue: 1)
      do {
        try subject.store.apply(edit, patience: Patience(.seconds(5)))
        throw BrokenRule(message: "a change from another snapshot was made")
      } catch let error as LedgerError {
        try requireEqual(error.lookAgain, .snapshotMoved, "the reason of the refusal \(error)")
      }
      try requireEqual(subject.store.snapshotSummary(), summary, "the summary")
    },
    Rule("A reader of a snapshot that moved is told so") { contract in
      let (subject, state) = try await contract.makeFilledSubject()
      let reader = try SnapshotReader(subject.store)
      var next = SnapshotEdit(reader.summary)
      next.new.position = state.position.advanced(by: 1)
      try subject.append(1, after: state.position)
      try subject.store.apply(next, patience: Patience(.seconds(5)))
      do {
        _ = try reader.entity(EntityID(high: 9, low: 9))
        throw BrokenRule(message: "it was given an answer")
      } catch let error as LedgerError {
        try requireEqual(error.lookAgain, .snapshotMoved, "the reason of the refusal \(error)")
      }
    },
    Rule("A read of deleted events says where the log begins") { (subject: StoreSubject) in
      try subject.append(1_000)
      var keys: [UInt64] = []
      var through = Position.start
      _ = try subject.store.read(after: .start, limit: 100) { (frame) in
        keys.append(frame.header.firstPosition.rawValue)
        through = frame.header.lastPosition
      }
      var edit = SnapshotEdit(SnapshotSummary())
      edit.new.position = through
      edit.new.deletedLog = LogDigest(position: through, bytes: LogDigest.start.bytes)
      edit.add(
        keys.map { key in
          TableChange(
            .log, (0..<8).map { UInt8(truncatingIfNeeded: key >> (56 - 8 * $0)) }, nil)
        })
      try subject.store.apply(edit, patience: Patience(.seconds(5)))
      try requireEqual(
        subject.events(after: through).first?.position, through.advanced(by: 1),
        "the first event that is left")
      let error = try requireRefusal(.eventsDeleted, "reading from the start") {
        try subject.events()
      }
      try requireEqual(error.eventsDeletedThrough, through, "the end of what was deleted")
      try requireEqual(subject.store.head(), Position(rawValue: 1_000), "the head")
    },
  ]

  /// A store with a snapshot of everything that a small ledger holds, and the state of that ledger.
  func makeFilledSubject() async throws -> (subject: StoreSubject, state: LedgerState) {
    let state = try await Self.sampleState()
    let subject = try makeSubject()
    try subject.append(Int(state.position.rawValue))
    var edit = SnapshotEdit(SnapshotSummary())
    for entity in state.overlaid { try edit.put(entity, replacing: nil) }
    edit.new.position = state.position
    try subject.store.apply(edit, patience: Patience(.seconds(5)))
    return (subject, state)
  }

  /// The state of a ledger with promises in every state, of which some are large.
  private static func sampleState() async throws -> LedgerState {
    try await withLedger { tester in
      let ledger = try await tester.app().ledger
      for number in 0..<12 {
        let label = number % 2 == 0 ? String(repeating: "l", count: 250) : nil
        let tags = (0..<(number % 3 == 0 ? 16 : 1)).map {
          "tag \($0) " + String(repeating: "t", count: 50)
        }
        let promise = try await ledger.createPromise(
          key: PromiseKey("promise/\(number)"), of: Int.self, label: label, tags: tags)
        if number % 3 > 0 { try await promise.fulfill(number) }
        if number % 3 > 1 { _ = try await promise.consume() }
      }
      return try await ledger.engine.read(fromCopy: true) { state in state }
    }
  }
}

/// Compares walks that begin at several keys with a walk from the start.
private func checkWalks(of table: SnapshotTable, in tables: any SnapshotTables) throws {
  let all = try keys(of: table, from: [0], in: tables)
  try require(all.count > 3, "\(table) has only \(all.count) entries")
  try require(
    zip(all, all.dropFirst()).allSatisfy { $0.precedes($1) },
    "the keys of \(table) are out of order")
  try requireEqual(tables.entryCount(of: table), all.count, "the number of entries in \(table)")
  for (index, key) in all.enumerated() {
    try requireEqual(keys(of: table, from: key, in: tables), Array(all[index...]), "from a key")
    try requireEqual(
      keys(of: table, from: key + [0], in: tables), Array(all[(index + 1)...]),
      "from after a key")
  }
  var visited = 0
  try tables.scan(table, from: [0]) { (_, _) in
    visited += 1
    return visited < 2
  }
  try requireEqual(visited, 2, "the entries that a walk visits which ends after the second")
}

private func keys(
  of table: SnapshotTable, from start: [UInt8], in tables: any SnapshotTables
) throws(LedgerError) -> [[UInt8]] {
  var keys: [[UInt8]] = []
  try tables.scan(table, from: start) { (key, _) throws(LedgerError) in
    keys.append(key)
    return true
  }
  return keys
}
