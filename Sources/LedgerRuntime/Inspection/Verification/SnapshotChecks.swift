/// The checks on a snapshot by itself: records, their lists, tombstones, counts and digest.
struct SnapshotChecks {
  private let tables: any SnapshotTables
  /// The summary that the snapshot stores about itself.
  private(set) var summary = SnapshotSummary()
  /// Whether there are no findings; otherwise the records are meaningless.
  private(set) var isWhole = true
  /// The number of whole records.
  private(set) var recordCount = 0
  /// An attachment of a deleted event.
  struct OwnedAttachment {
    /// The record that owns it.
    let owner: EntityID
    let reference: AttachmentReference
    /// `nil` if the content cannot be checked.
    let kind: AttachmentKind?
  }

  /// The attachments of deleted events.
  private(set) var attachments: [OwnedAttachment] = []
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
  /// - Parameter tick: Called periodically.
  mutating func run(_ tick: () -> Void) throws(LedgerError) {
    do throws(LedgerError) {
      summary = try tables.summary()
      try check(tick)
    } catch {
      // Without the summary, the expected records and events are unknown.
      guard error.code == .corrupt || error.code == .incompatibleFormat else { throw error }
      add(error)
    }
  }

  private mutating func check(_ tick: () -> Void) throws(LedgerError) {
    try forEachPage(of: .entities, tick) { (checks, page) throws(LedgerError) in
      try checks.checkRecords(page)
    }
    try forEachPage(of: .tombstones, tick) { (checks, page) throws(LedgerError) in
      try checks.checkTombstones(page)
    }
    try checkExtras(tick)
    guard isWhole else { return }
    if counts != summary.counts { add("The counts of the snapshot do not match its records.") }
    if digest != summary.stateDigest {
      add("The state digest of the snapshot does not match its records, whose digest is \(digest).")
    }
  }

  /// The records of entities; `nil` where a record is missing or damaged.
  func entities(_ ids: some Collection<EntityID>) -> [LedgerEntity?] {
    guard let records = try? tables.records(ids) else { return ids.map { _ in nil } }
    return zip(ids, records).map { id, record in
      guard case .success(let record?) = record else { return nil }
      return try? LedgerEntity(id, record)
    }
  }

  /// Whether the records of keyed entities were removed.
  func areTombstones(_ ids: [EntityID]) -> [Bool] {
    let values = try? tables.values(forKeys: ids.map(SnapshotRecord.key), in: .tombstones)
    return values?.map { $0 != nil } ?? ids.map { _ in false }
  }

  /// The ids of all records.
  func forEachID(_ body: (EntityID) -> Void) throws(LedgerError) {
    try tables.scan(.entities, from: [0]) { (key, _) throws(LedgerError) in
      body(try SnapshotRecord.id(ofKey: key))
      return true
    }
  }

  // MARK: Pages

  private typealias Page = [(key: [UInt8], value: [UInt8])]

  private static let pageEntryCount = 256

  /// Hands over all entries of a table in pages, between which others can be looked up.
  private mutating func forEachPage(
    of table: SnapshotTable, _ tick: () -> Void,
    _ body: (inout SnapshotChecks, Page) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last: [UInt8]?
    while true {
      let page = try tables.entries(of: table, after: last, limit: Self.pageEntryCount)
      guard let end = page.last else { return }
      try body(&self, page)
      pulse.beat(tick, steps: page.count)
      last = end.key
    }
  }

  /// The ids that the keys of entries stand for; invalid keys become findings.
  private mutating func identified(_ page: Page) -> [(id: EntityID, piece: [UInt8])] {
    page.compactMap { key, value in
      do throws(LedgerError) {
        return (try SnapshotRecord.id(ofKey: key), value)
      } catch {
        add(error)
        return nil
      }
    }
  }

  // MARK: Records

  private mutating func checkRecords(_ page: Page) throws(LedgerError) {
    var firsts = identified(page)[...]
    while !firsts.isEmpty {
      let group = SnapshotRecord.group(firsts, pieceLimit: Self.pageEntryCount)
      firsts = firsts.dropFirst(group.count)
      var entities: [LedgerEntity] = []
      for ((id, _), record) in zip(group, try tables.join(group)) {
        do throws(LedgerError) {
          entities.append(try take(try record.get(), of: id))
          recordCount += 1
        } catch {
          add(error, subject: id)
        }
      }
      for (entity, problem) in zip(entities, try tables.listProblems(of: entities))
      where problem != nil {
        add("Its entries in the lists of the snapshot are incomplete or wrong.", subject: entity.id)
      }
    }
  }

  private mutating func take(
    _ record: SnapshotRecord.Stored, of id: EntityID
  ) throws(LedgerError) -> LedgerEntity {
    let entity = try LedgerEntity(
      type: record.type, id: id, content: record.content, checkedFor: summary)
    if case .opaque = entity { findings.add(.opaque(id, record.type), subject: id) }
    guard summary.mayHold(id) else {
      throw SnapshotRecord.damaged(
        id, "its id is newer than the newest id that the snapshot records")
    }
    digest.add(record.type, id, record.content)
    counts.add(record.type, byteCount: record.content.count)
    partCount += SnapshotRecord.pieceCount(ofContent: record.content.count) - 1
    for entry in entity.openEntries { counts.lists.add(entry) }
    let deletedThrough = summary.deletedThrough
    for attachment in entity.attachments where attachment.position <= deletedThrough {
      // A payload that cannot be decoded is a finding below.
      let kind = try? entity.kind(ofAttachmentAt: attachment.position)
      attachments.append(OwnedAttachment(owner: id, reference: attachment, kind: kind))
    }
    // The events that remain are checked themselves.
    let findings = findings
    entity.checkContents(through: deletedThrough) { position, error in
      findings.add(error, at: position, subject: id)
    }
    return entity
  }

  private mutating func checkTombstones(_ page: Page) throws(LedgerError) {
    let tombstones = identified(page)
    let records = try tables.values(
      forKeys: tombstones.map { SnapshotRecord.key($0.id) }, in: .entities)
    for ((id, value), record) in zip(tombstones, records) {
      digest.addTombstone(id)
      counts.tombstones += 1
      if record != nil {
        add("It has both a record and a tombstone.", subject: id)
      }
      do throws(LedgerError) {
        try SnapshotRecord.checkTombstone(value, of: id)
      } catch {
        add(error, subject: id)
      }
    }
  }

  /// Looks for list entries and record pieces without an owner.
  private mutating func checkExtras(_ tick: () -> Void) throws(LedgerError) {
    var listed = SnapshotSummary.Lists()
    try tables.scan(.open, from: [0]) { (key, stored) throws(LedgerError) in
      checkEntry(key, stored, &listed)
      pulse.beat(tick)
      return true
    }
    // Every entry that a record needs exists, so a difference means entries that no record needs.
    if listed != counts.lists {
      try forEachPage(of: .open, tick) { (checks, page) in
        let entries = page.compactMap { try? OpenEntry(key: $0.key, stored: $0.value) }
        for (entry, entity) in zip(entries, checks.entities(entries.map(\.id)))
        where entity?.openEntries.contains(entry) != true {
          checks.add("The lists of the snapshot have an extra entry for it.", subject: entry.id)
        }
      }
    }
    if try count(.parts, tick) != partCount {
      add("The pieces of the snapshot's records do not match the records.")
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
