import LedgerLocks
package import LedgerModel
package import LedgerRuntimeTesting
import Synchronization

/// A store in memory that reports the reads of its snapshot.
package final class WatchedStore: ForwardingStore {
  /// The reads of a snapshot.
  package struct Reads: Equatable {
    /// Views.
    package var views: Int
    /// Reads of the snapshot outside of views.
    package var transactions = 0
    /// Reads of frames outside of views.
    package var frameReads = 0
    /// Reads of attachments outside of views.
    package var attachmentReads = 0
    /// Entries of lists.
    package var entries = 0

    package init(views: Int = 0) { self.views = views }
  }

  private struct Contents {
    var reads = Reads()
    var tableCallCount = 0
    var entryCountCount = 0
    var nestedCount = 0
    /// The threads that a read hands frames or entries over to.
    var takers: Set<ThreadIdentity> = []
    /// The threads that look at tables.
    var lookers: Set<ThreadIdentity> = []
    var commitCount = 0
    var onScan: (@Sendable ([UInt8]) -> Void)?
    var onRead: (@Sendable () -> Void)?
    var onCommit: (@Sendable () -> Void)?
    var onDecide: (@Sendable () -> Void)?
    var onAppend: (@Sendable () -> Void)?
    var afterRead: (@Sendable () -> Void)?
    var onChange: (@Sendable () -> Void)?
    var afterChange: (@Sendable () -> Void)?
  }

  package let store = InMemoryEventStore()
  private let contents = Mutex(Contents())

  package init() {}

  /// How many commits were tried.
  package var commitCount: Int { contents.withLock { $0.commitCount } }

  /// How often tables were asked, within views or not.
  package var tableCallCount: Int { contents.withLock { $0.tableCallCount } }

  /// How often the entries of a table were counted.
  package var entryCountCount: Int { contents.withLock { $0.entryCountCount } }

  /// How many reads began while another one of the same thread was not over.
  package var nestedCount: Int { contents.withLock { $0.nestedCount } }

  /// The reads so far.
  package var reads: Reads { contents.withLock { $0.reads } }

  /// Told where each walk through entries begins, before it does.
  package var onScan: (@Sendable ([UInt8]) -> Void)? {
    get { contents.withLock { $0.onScan } }
    set { contents.withLock { $0.onScan = newValue } }
  }

  /// Called once after the next read of the snapshot.
  package var afterRead: (@Sendable () -> Void)? {
    get { contents.withLock { $0.afterRead } }
    set { contents.withLock { $0.afterRead = newValue } }
  }

  /// Called before each read.
  package var onRead: (@Sendable () -> Void)? {
    get { contents.withLock { $0.onRead } }
    set { contents.withLock { $0.onRead = newValue } }
  }

  /// Called once after the next commit began, and before it is decided.
  package var onDecide: (@Sendable () -> Void)? {
    get { contents.withLock { $0.onDecide } }
    set { contents.withLock { $0.onDecide = newValue } }
  }

  /// Called once after the next commit was decided, and before it is appended.
  package var onAppend: (@Sendable () -> Void)? {
    get { contents.withLock { $0.onAppend } }
    set { contents.withLock { $0.onAppend = newValue } }
  }

  /// Called once before the next commit passes the gate.
  package var onCommit: (@Sendable () -> Void)? {
    get { contents.withLock { $0.onCommit } }
    set { contents.withLock { $0.onCommit = newValue } }
  }

  /// Called once before the next change of the snapshot.
  package var onChange: (@Sendable () -> Void)? {
    get { contents.withLock { $0.onChange } }
    set { contents.withLock { $0.onChange = newValue } }
  }

  /// Called once after the next change of the snapshot.
  package var afterChange: (@Sendable () -> Void)? {
    get { contents.withLock { $0.afterChange } }
    set { contents.withLock { $0.afterChange = newValue } }
  }

  /// Counts the reads of `body`.
  package func counting(_ body: () throws -> Void) rethrows -> Reads {
    contents.withLock { $0.reads = Reads() }
    try body()
    return reads
  }

  // MARK: Nested reads

  /// Notes a read of the store.
  private func noteRead() {
    contents.withLock { contents in
      let thread = ThreadIdentity.current
      let isNested = contents.takers.contains(thread) || contents.lookers.contains(thread)
      contents.nestedCount += isNested ? 1 : 0
    }
  }

  /// Notes a call of tables.
  fileprivate func noteTableCall() {
    contents.withLock { contents in
      contents.tableCallCount += 1
      contents.nestedCount += contents.takers.contains(ThreadIdentity.current) ? 1 : 0
    }
  }

  /// Notes that a read hands over frames or entries to this thread, or that it ends.
  fileprivate func noteTaker(_ takes: Bool) {
    contents.withLock { contents in
      if takes {
        contents.takers.insert(ThreadIdentity.current)
      } else {
        contents.takers.remove(ThreadIdentity.current)
      }
    }
  }

  private func noteLooker(_ looks: Bool) {
    contents.withLock { contents in
      if looks {
        contents.lookers.insert(ThreadIdentity.current)
      } else {
        contents.lookers.remove(ThreadIdentity.current)
      }
    }
  }

  package func head() throws(LedgerError) -> Position {
    noteRead()
    return try store.head()
  }

  package func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    noteRead()
    contents.withLock { $0.reads.attachmentReads += 1 }
    return try store.attachments(wanted)
  }

  // MARK: Reading

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    noteRead()
    let afterRead = contents.withLock { contents in
      contents.reads.transactions += 1
      return contents.afterRead.take()
    }
    defer { afterRead?() }
    onRead?()
    noteLooker(true)
    defer { noteLooker(false) }
    return try store.readSnapshot { (tables) throws(LedgerError) in
      try body(Tables(tables: tables, store: self))
    }
  }

  package func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    noteRead()
    let afterRead = contents.withLock { contents in
      contents.reads.views += 1
      return contents.afterRead.take()
    }
    defer { afterRead?() }
    onRead?()
    return try store.withView { (moment) throws(LedgerError) in
      try Moment(moment: moment, store: self).answer(request)
    }
  }

  package func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let onCommit = contents.withLock { contents in
      contents.commitCount += 1
      return contents.onCommit.take()
    }
    onCommit?()
    let turn = try store.beginCommit(patience)
    contents.withLock { $0.onDecide.take() }?()
    return turn
  }

  package func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    contents.withLock { $0.onAppend.take() }?()
    return try store.append(batch, commit, after: base)
  }

  package func newerHead(than base: Position) throws(LedgerError) -> Position? {
    contents.withLock { $0.onAppend.take() }?()
    return try store.newerHead(than: base)
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    contents.withLock { $0.reads.frameReads += 1 }
    noteRead()
    onRead?()
    noteTaker(true)
    defer { noteTaker(false) }
    return try store.read(after: position, limit: limit, body)
  }

  package func commit(at position: Position) throws(LedgerError) -> CommitID? {
    contents.withLock { $0.reads.frameReads += 1 }
    onRead?()
    return try store.commit(at: position)
  }

  package func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    contents.withLock { $0.onChange.take() }?()
    defer { contents.withLock { $0.afterChange.take() }?() }
    return try store.changeSnapshot(changes, from: old, to: new, patience: patience)
  }

  private struct Moment: ForwardingSource {
    let moment: any LedgerSource
    let store: WatchedStore

    func withSource<R>(
      _ body: (any LedgerSource) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
      try body(moment)
    }

    func readSnapshot<R>(
      _ body: (any SnapshotTables) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
      try moment.readSnapshot { (tables) throws(LedgerError) in
        try body(Tables(tables: tables, store: store))
      }
    }
  }

  private struct Tables: SnapshotTables {
    let tables: any SnapshotTables
    let store: WatchedStore

    func values(
      forKeys keys: [[UInt8]], in table: SnapshotTable
    ) throws(LedgerError) -> [[UInt8]?] {
      store.noteTableCall()
      return try tables.values(forKeys: keys, in: table)
    }

    func show(_ changes: ArraySlice<TableChange>) throws(LedgerError) -> [Bool] {
      store.noteTableCall()
      return try tables.show(changes)
    }

    /// Entries of this store never get lost.
    func checkCount(of table: SnapshotTable, in counts: SnapshotSummary.Counts) {}

    func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int {
      store.noteTableCall()
      store.contents.withLock { $0.entryCountCount += 1 }
      return try tables.entryCount(of: table)
    }

    func attachments(
      _ wanted: [AttachmentReference]
    ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
      store.noteTableCall()
      return try tables.attachments(wanted)
    }

    func auditOfAttachments() -> any AttachmentAudit { tables.auditOfAttachments() }

    func scan(
      _ table: SnapshotTable, from start: [UInt8],
      _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
      store.onScan?(start)
      var count = 0
      defer { store.contents.withLock { $0.reads.entries += count } }
      store.noteTableCall()
      store.noteTaker(true)
      defer { store.noteTaker(false) }
      try tables.scan(table, from: start) { (key, value) throws(LedgerError) in
        count += 1
        return try body(key, value)
      }
    }
  }
}
