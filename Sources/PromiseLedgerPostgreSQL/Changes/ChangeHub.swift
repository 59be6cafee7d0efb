import LedgerModel
import LedgerPostgreSQL
import LedgerSystem
import Synchronization

/// The one connection by which a process tells others of commits to the ledgers of a schema, and is told.
///
/// It is not the connection of the commit: `NOTIFY` in a transaction takes a lock of the whole server at its commit.
/// News of several commits are sent together. If it cannot connect, nothing but time is lost: sessions also look by
/// themselves once in a poll interval.
final class ChangeHub: Sendable {
  /// Who a hub is for.
  private struct Key: Hashable {
    let settings: ConnectionSettings
    let names: SchemaNames
  }

  private struct Contents {
    var counters: [Int32: [ObjectIdentifier: ChangeCounter]] = [:]
    /// The ledgers with commits that others were not told of.
    var news: Set<Int32> = []
    var isRunning = false

    var isUsed: Bool { !counters.isEmpty }
  }

  private static let hubs = Mutex<[Key: ChangeHub]>([:])

  private let key: Key
  private let wake: WakePipe
  private let contents = Mutex(Contents())

  private init(_ key: Key) throws(PostgreSQLError) {
    self.key = key
    wake = try WakePipe()
  }

  /// The hub of this process for a schema.
  static func shared(
    _ settings: ConnectionSettings, _ names: SchemaNames
  ) throws(LedgerError) -> ChangeHub {
    let key = Key(settings: settings, names: names)
    return try hubs.withLock { (hubs) throws(LedgerError) in
      if let hub = hubs[key] { return hub }
      let hub = try LedgerError.onServer(names) { () throws(PostgreSQLError) in
        try ChangeHub(key)
      }
      hubs[key] = hub
      return hub
    }
  }

  // MARK: Use by stores

  /// Counts changes of a ledger in a counter, until it is removed.
  func add(_ counter: ChangeCounter, of ledger: Int32) throws(LedgerError) {
    let starts = contents.withLock { contents in
      contents.counters[ledger, default: [:]][ObjectIdentifier(counter)] = counter
      defer { contents.isRunning = true }
      return !contents.isRunning
    }
    guard starts else { return }
    do throws(SystemError) {
      _ = try SystemThread.start(name: "ledger-changes") { self.run() }
    } catch {
      contents.withLock { $0.isRunning = false }
      throw LedgerError(error, "The thread that is told of changes cannot be started.")
    }
  }

  func remove(_ counter: ChangeCounter, of ledger: Int32) {
    contents.withLock { contents in
      contents.counters[ledger]?[ObjectIdentifier(counter)] = nil
      if contents.counters[ledger]?.isEmpty == true { contents.counters[ledger] = nil }
    }
    wake.signal()
  }

  /// Tells the others of a commit: the sessions of this process at once, other processes soon.
  ///
  /// - Parameter own: The counter of the session that committed, if its listener need not look.
  func announceCommit(to ledger: Int32, sparing own: ChangeCounter?) {
    let isNews = contents.withLock { $0.news.insert(ledger).inserted }
    count(changesOf: [ledger], sparing: own)
    if isNews { wake.signal() }
  }

  private func count(changesOf ledgers: some Sequence<Int32>, sparing own: ChangeCounter? = nil) {
    let counters = contents.withLock { contents in
      ledgers.flatMap { contents.counters[$0]?.values.map(\.self) ?? [] }
    }
    for counter in counters where counter !== own { counter.add() }
  }

  // MARK: The thread

  /// The time in which commits are collected for one notification.
  private static let collectionTime = Duration.milliseconds(5)
  /// The longest wait without a look whether the hub is still used.
  private static let waitLimit = Duration.seconds(60)
  /// The pause after a connection failed.
  private static let reconnectionPause = Duration.seconds(1)

  private func run() {
    let pause = WakeSemaphore()
    while continues() {
      do throws(PostgreSQLError) {
        let connection = try Connection(key.settings)
        // The channel has the name of the schema.
        try connection.run("LISTEN \(key.names.schema)")
        // The connection before this one may have taken a signal, and not told anybody.
        wake.signal()
        // Commits may have been missed.
        count(changesOf: contents.withLock { $0.counters.keys.map(\.self) })
        while isUsed { try exchange(connection, pause) }
      } catch {
        // The next connection, or a poll, finds what was missed.
        _ = pause.wait(timeout: Self.reconnectionPause)
      }
    }
    // A store that has this hub already can still use it.
    Self.hubs.withLock { hubs in
      if hubs[key] === self { hubs[key] = nil }
    }
  }

  private func exchange(
    _ connection: Connection, _ pause: WakeSemaphore
  ) throws(PostgreSQLError) {
    let told = try connection.notifications(wokenBy: wake, timeout: Self.waitLimit)
    count(changesOf: Set(told.compactMap { Int32($0) }))
    guard contents.withLock({ !$0.news.isEmpty }) else { return }
    _ = pause.wait(timeout: Self.collectionTime)
    let news = contents.withLock { contents in
      defer { contents.news = [] }
      return contents.news
    }
    _ = try connection.run([
      Statement(
        "SELECT pg_notify($1, ledger::text) FROM unnest($2::bigint[]) AS ledger",
        [.text(key.names.name), .int8Array(news.map(Int64.init))], isPrepared: true)
    ])
  }

  private var isUsed: Bool { contents.withLock { $0.isUsed } }

  /// Whether the thread continues; another one is started when the hub is used again.
  private func continues() -> Bool {
    contents.withLock { contents in
      contents.isRunning = contents.isUsed
      return contents.isRunning
    }
  }
}
