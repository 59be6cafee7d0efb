import LedgerLMDB
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A ledger on disk with promises in every state that was compacted and closed.
struct CompactedLedger {
  let temporary: TemporaryLedger
  /// The log digest at the last event before the ledger was closed.
  let logDigest: LogDigest

  var path: String { temporary.path }

  /// - Parameter policies: The policies of its compactions, one after the other; between them, and
  ///   at the end, promises are added.
  init(_ policies: [CompactionPolicy]) async throws {
    temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let large = try await ledger.findOrCreatePromise(key: try PromiseKey("large"), of: String.self)
    try await large.fulfill(String(repeating: "y", count: 9_000))
    for policy in policies {
      for number in 0..<24 { try await Self.add(number, to: ledger) }
      try await ledger.compact(policy)
    }
    for number in 0..<4 { try await Self.add(number, to: ledger) }
    logDigest = try await ledger.logDigest()
    await ledger.close()
  }

  /// Makes every third promise a keyed one, and every fourth an unfinished one.
  static func add(_ number: Int, to ledger: Ledger) async throws {
    let long = String(repeating: "x", count: number % 6 == 1 ? 3_400 : number % 6 == 0 ? 5_000 : 9)
    let promise: DurablePromise<String> =
      if number % 3 == 0 {
        try await ledger.findOrCreatePromise(
          key: try PromiseKey("\(EntityID.random())"), of: String.self)
      } else {
        try await ledger.createPromise(tags: (0..<16).map { "\($0) \(long.prefix(60))" })
      }
    guard number % 4 != 0 else { return }
    try await promise.fulfill(long)
    if number % 4 != 1 { _ = try await promise.consume() }
  }

  /// The findings of `verify`.
  func findings() throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: path).verify { findings.append($0) }
    return findings
  }

  /// Changes the store behind the ledger's back.
  func edit(_ body: (inout WriteTransaction, (String) throws -> Table) throws -> Void) throws {
    try Self.edit(path, body)
  }

  static func edit(
    _ path: String, _ body: (inout WriteTransaction, (String) throws -> Table) throws -> Void
  ) throws {
    let environment = try Environment.open(
      at: LedgerDirectory(path).generation(LedgerDirectory.firstGeneration),
      tables: LedgerTables.descriptions)
    try environment.write { transaction in
      try body(&transaction) { try environment.table(named: $0) }
    }
    try environment.close()
  }

  /// The entries of a table.
  func entries(of table: String) throws -> [(key: [UInt8], value: [UInt8])] {
    try Self.entries(of: table, at: path)
  }

  /// The entries of a table of a ledger that no process has open.
  static func entries(
    of table: String, at path: String
  ) throws -> [(key: [UInt8], value: [UInt8])] {
    var entries: [(key: [UInt8], value: [UInt8])] = []
    try edit(path) { transaction, tables in
      try transaction.scan(try tables(table), fromKey: [0].span) { key, value in
        entries.append((Array(copying: key), Array(copying: value)))
        return true
      }
    }
    return entries
  }

  func put(_ value: [UInt8]?, forKey key: [UInt8], in table: String) throws {
    try edit { transaction, tables in
      if let value {
        try transaction.put(value.span, forKey: key.span, in: try tables(table))
      } else {
        try transaction.delete(forKey: key.span, in: try tables(table))
      }
    }
  }
}

extension [UInt8] {
  init(copying span: Span<UInt8>) {
    self.init()
    for index in span.indices { append(span[index]) }
  }
}
