/// The checks on a snapshot by itself: records, their lists, tombstones, counts and digest.
struct SnapshotChecks {
  private let tables: any SnapshotTables
  /// What the snapshot says about itself.
  private(set) var summary = SnapshotSummary()
  /// Whether nothing was found, so that the records mean something.
  private(set) var isWhole = true
  /// How many records were whole.
  private(set) var recordCount = 0
  /// What stands beside events that were deleted, by the records that own it.
  private(set) var attachments: [(owner: EntityID, attachment: AttachmentReference)] = []
  private var digest = StateDigest.empty
  private var counts = SnapshotSummary.Counts()
  private var partCount = 0
  private let findings: Findings
  private var pulse = Pulse()

  init(_ tables: any SnapshotTables, _ findings: Findings) {
    self.tables = tables
    self.findings = findings
  }

  /// Checks everything.
  ///
  /// - Parameter tick: Called now and then.
  mutating func run(_ tick: () -> Void) throws(LedgerError) {
    do throws(LedgerError) {
      summary = try tables.summary()
      try check(tick)
    } catch {
      // Without its summary it cannot be told which records and events there must be.
      guard error.code == .corrupt || error.code == .incompatibleFormat else { throw error }
      add(error)
    }
  }

  private mutating func check(_ tick: () -> Void) throws(LedgerError) {
    try tables.scan(.entities, from: [0]) { (key, first) throws(LedgerError) in
      checkRecord(key, first)
      pulse.beat(tick)
      return true
    }
    try tables.scan(.tombstones, from: [0]) { (key, value) throws(LedgerError) in
      try checkTombstone(key, value)
      pulse.beat(tick)
      return true
    }
    try checkExtras(tick)
    guard isWhole else { return }
    if counts != summary.counts { add("The counts of the snapshot are not those of its records.") }
    if digest != summary.stateDigest {
      add("The state digest of the records is \(digest), and that of the snapshot another.")
    }
  }

  /// The record of an entity; `nil` if there is none, or it is damaged.
  func entity(_ id: EntityID) -> LedgerEntity? {
    guard let record = try? tables.record(id) else { return nil }
    return try? LedgerEntity(id, record)
  }

  /// Whether the record of a keyed entity was removed.
  func isTombstone(_ id: EntityID) -> Bool {
    let value = try? tables.value(forKey: SnapshotRecord.key(id), in: .tombstones)
    return value != nil
  }

  /// The ids of all records.
  func forEachID(_ body: (EntityID) -> Void) throws(LedgerError) {
    try tables.scan(.entities, from: [0]) { (key, _) throws(LedgerError) in
      body(try SnapshotRecord.id(ofKey: key))
      return true
    }
  }

  // MARK: Records

  private mutating func checkRecord(_ key: [UInt8], _ first: [UInt8]) {
    do throws(LedgerError) {
      let id = try SnapshotRecord.id(ofKey: key)
      do throws(LedgerError) {
        try checkRecord(id, first)
        recordCount += 1
      } catch {
        add(error, subject: id)
      }
    } catch {
      add(error)
    }
  }

  private mutating func checkRecord(_ id: EntityID, _ first: [UInt8]) throws(LedgerError) {
    let record = try SnapshotRecord.join(id, first: first) { (number) throws(LedgerError) in
      try tables.value(forKey: SnapshotRecord.partKey(id, number), in: .parts)
    }
    let entity = try LedgerEntity(
      type: record.type, id: id, content: record.content, checkedFor: summary)
    if case .opaque = entity { findings.add(.opaque(id, record.type), subject: id) }
    guard summary.mayHold(id) else {
      throw SnapshotRecord.damaged(id, "its id is newer than the snapshot says that any is")
    }
    digest.add(record.type, id, record.content)
    counts.add(record.type, byteCount: record.content.count)
    partCount += SnapshotRecord.pieceCount(ofContent: record.content.count) - 1
    for entry in entity.openEntries {
      counts.lists.add(entry)
      if try tables.value(forKey: entry.key, in: .open) != entry.stored {
        add("The lists of the snapshot lack an entry, or have another.", subject: id)
      }
    }
    for attachment in entity.attachments where attachment.position <= summary.deletedThrough {
      attachments.append((id, attachment))
    }
  }

  private mutating func checkTombstone(
    _ key: [UInt8], _ value: [UInt8]
  ) throws(LedgerError) {
    do throws(LedgerError) {
      let id = try SnapshotRecord.id(ofKey: key)
      digest.addTombstone(id)
      counts.tombstones += 1
      if try tables.value(forKey: key, in: .entities) != nil {
        add("The tombstone is of an entity that has a record.", subject: id)
      }
      do throws(LedgerError) {
        try SnapshotRecord.checkTombstone(value, of: id)
      } catch {
        add(error, subject: id)
      }
    } catch {
      add(error)
    }
  }

  /// Looks for entries of lists and pieces of records that belong to nothing.
  private mutating func checkExtras(_ tick: () -> Void) throws(LedgerError) {
    var listed = SnapshotSummary.Lists()
    try tables.scan(.open, from: [0]) { (key, stored) throws(LedgerError) in
      checkEntry(key, stored, &listed)
      pulse.beat(tick)
      return true
    }
    // Each that a record asks for is there; so this is about those that none does.
    if listed != counts.lists {
      try tables.scan(.open, from: [0]) { (key, stored) throws(LedgerError) in
        if let entry = try? OpenEntry(key: key, stored: stored),
          entity(entry.id)?.openEntries.contains(entry) != true
        {
          add("The lists of the snapshot have an entry too many.", subject: entry.id)
        }
        pulse.beat(tick)
        return true
      }
    }
    if try count(.parts, tick) != partCount {
      add("There are other pieces of snapshot records than the records name.")
    }
  }

  private mutating func checkEntry(
    _ key: [UInt8], _ stored: [UInt8], _ listed: inout SnapshotSummary.Lists
  ) {
    do throws(LedgerError) {
      listed.add(try OpenEntry(key: key, stored: stored))
    } catch {
      add(error, subject: key.count >= 17 ? OpenEntry(key: key, value: []).id : nil)
    }
  }

  private mutating func count(
    _ table: SnapshotTable, _ tick: () -> Void
  ) throws(LedgerError) -> Int {
    var count = 0
    try tables.scan(table, from: [0]) { (_, _) throws(LedgerError) in
      count += 1
      pulse.beat(tick)
      return true
    }
    return count
  }

  // MARK: Findings

  private mutating func add(_ message: String, subject: EntityID? = nil) {
    isWhole = false
    findings.add(message, subject: subject)
  }

  private mutating func add(_ error: LedgerError, subject: EntityID? = nil) {
    isWhole = false
    findings.add(error, subject: subject)
  }
}
