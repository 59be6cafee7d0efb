import Foundation
import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedger
import PromiseLedgerTesting

/// A complete ledger that no process has open, with earlier contents of its pages.
struct Sample {
  let name: String
  /// Its directory, which no trial changes.
  let path: String
  let file: TreeFile
  let map: PageMap
  let staleVersions: [Int: [TreePage]]
  let head: UInt64
  /// The subjects that `show` prints: a promise, a handler, a session, and a promise by its key.
  let subjects: [[String]]
  /// Work that `trace` prints.
  let works: [[String]]

  static let dataFile = "/generation-000001/data.mdb"

  /// The contents of a sample.
  enum Content: String, CaseIterable {
    /// A log without a snapshot.
    case unfolded
    /// A snapshot, all the events below it, and a tail.
    case folded
    /// A snapshot with tombstones, events that were deleted, a session that was killed, and a tail.
    case compacted
  }

  init(_ content: Content, in directory: String) async throws {
    name = content.rawValue
    path = directory + "/" + name
    let temporary = try TemporaryLedger(in: directory)
    let (ledger, writer) = try await Self.write(content, temporary.path)
    subjects = try await Self.subjects(of: ledger, Self.keyed(content))
    works = writer.works.map { ["\($0)"] }
    // The session is open in the copy, as if its process had been killed.
    try Self.copy(temporary.path, to: path)
    try Self.forgetProcesses(of: path + "/sessions")
    try AcknowledgedMark.carry(from: temporary.path, to: path)
    head = try await ledger.catchUp().rawValue
    await ledger.close()
    file = TreeFile(Array(try Data(contentsOf: URL(fileURLWithPath: path + Self.dataFile))))
    map = PageMap(file)
    staleVersions = Dictionary(grouping: writer.history.lostVersions, by: \.number)
      .mapValues { $0.map(\.page) }
  }

  /// Empties the lock files of sessions: they name this process, and while that runs, the sessions
  /// count as frozen.
  private static func forgetProcesses(of sessions: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: sessions)
    for name in names {
      try Data().write(to: URL(fileURLWithPath: sessions + "/" + name))
    }
  }

  private static func write(
    _ content: Content, _ path: String
  ) async throws -> (Ledger, SampleWriter) {
    var configuration = LedgerConfiguration()
    let clock = ManualLedgerClock()
    let ids = SequentialIDGenerator(seed: 7)
    configuration.clock = clock
    configuration.idGenerator = ids
    configuration.automaticCompaction = nil
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    var writer = SampleWriter(
      ledger: ledger, clock: clock, ids: ids, history: PageHistory(path + dataFile))
    switch content {
    case .unfolded:
      try await writer.addPromises("new", 0..<96)
      try await writer.addHandlers("new", 0..<36)
      try await writer.addWork(0..<12)
      try await writer.addSessions(3, at: path, configuration)
    case .folded:
      try await writer.addPromises("old", 0..<72)
      try await writer.addHandlers("old", 0..<24)
      try await writer.addWork(0..<12)
      try await writer.addSessions(3, at: path, configuration)
      _ = try await ledger.compact(.foldOnly)
      try writer.look()
      try await writer.addPromises("new", 0..<36)
    case .compacted:
      try await writer.addEndedPromises("gone", 0..<200)
      try await writer.addHandlers("gone", 0..<24, isEnded: true)
      clock.advance(by: .seconds(86_400))
      try await writer.addPromises("old", 0..<72)
      try await writer.addHandlers("old", 0..<24)
      _ = try await ledger.compact(policy)
      clock.advance(by: .seconds(86_400))
      try await writer.addPromises("recent", 0..<96)
      try await writer.addHandlers("recent", 0..<36)
      try await writer.addWork(0..<12)
      try await writer.addSessions(12, at: path, configuration)
      _ = try await ledger.compact(policy)
      try writer.look()
      try await writer.addPromises("new", 0..<48)
      try await writer.addHandlers("new", 0..<12)
      try await writer.addSessions(2, at: path, configuration)
    }
    return (ledger, writer)
  }

  /// The key of a promise that is in every tree that holds promises.
  private static func keyed(_ content: Content) -> String {
    switch content {
    case .unfolded: "new/4"
    case .folded: "old/4"
    case .compacted: "recent/4"
    }
  }

  /// Records older than an hour are removed.
  private static let policy: CompactionPolicy = {
    var policy = CompactionPolicy()
    policy.eventRetention = .seconds(3_600)
    policy.recordRetention = .seconds(3_600)
    policy.minimumEventCount = 60
    return policy
  }()

  private static func subjects(of ledger: Ledger, _ key: String) async throws -> [[String]] {
    let promise = try await ledger.unconsumedPromises().first { $0.tags.count > 8 }
    let name = key.prefix { $0 != "/" }
    return [
      promise.map { ["\($0.id)"] } ?? [], ["--handler-key", "\(name)/5"], ["\(ledger.session)"],
      ["--key", key],
    ].filter { !$0.isEmpty }
  }

  /// Copies a ledger, except the lock file of LMDB: closing that one drops the locks of this process.
  static func copy(_ source: String, to target: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for name in try manager.contentsOfDirectory(atPath: source) where name != "lock.mdb" {
      let attributes = try manager.attributesOfItem(atPath: source + "/" + name)
      if attributes[.type] as? FileAttributeType == .typeDirectory {
        try copy(source + "/" + name, to: target + "/" + name)
      } else {
        try manager.copyItem(atPath: source + "/" + name, toPath: target + "/" + name)
      }
    }
  }
}
