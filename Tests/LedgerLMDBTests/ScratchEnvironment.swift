import CLedgerLMDB
import Foundation
import LedgerLMDB
import LedgerTestSupport
import PromiseLedgerTesting
import Testing

/// A directory for one test, removed when the test releases it.
final class ScratchDirectory: Sendable {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(in: Scratch.path) }

  var path: String { directory.path }
  var environmentPath: String { path + "/environment" }
  var dataFile: String { environmentPath + "/data.mdb" }

  func readDataFile() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: dataFile)))
  }

  func writeDataFile(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: dataFile))
  }

  func open(
    _ configuration: Configuration = Configuration(durability: .noneForTests)
  ) throws(LMDBError) -> Environment {
    try Environment.open(
      at: environmentPath, configuration: configuration, tables: Self.tables)
  }

  /// A compacted copy, as `mdb_copy -c` makes one, of an environment that is not open.
  func compactedCopy() throws -> ScratchDirectory {
    let copy = try ScratchDirectory()
    try FileManager.default.createDirectory(
      atPath: copy.environmentPath, withIntermediateDirectories: false)
    var created: OpaquePointer?
    #expect(unsafe mdb_env_create(&created) == 0)
    let handle = unsafe try #require(created)
    defer { unsafe mdb_env_close(handle) }
    #expect(unsafe mdb_env_open(handle, environmentPath, UInt32(MDB_RDONLY | MDB_NOLOCK), 0) == 0)
    #expect(
      unsafe mdb_env_copy2(handle, copy.environmentPath, UInt32(MDB_CP_COMPACT)) == 0)
    return copy
  }

  static let tables = [
    TableDescription("log", keys: .integer), TableDescription("names", keys: .bytes),
  ]
}

extension Environment {
  var log: Table { tables[0] }
  var names: Table { tables[1] }

  /// Stores one value, in a transaction of its own.
  func store(_ value: [UInt8], _ key: UInt64, append: Bool = false) throws {
    try write { transaction in
      try transaction.put(value.span, forKey: key, in: log, append: append)
    }
  }

  func load(_ key: UInt64) throws -> [UInt8]? {
    try read { transaction -> [UInt8]? in
      guard let value = try transaction.value(forKey: key, in: log) else { return nil }
      return value.bytesArray
    }
  }

  /// The keys of the log, in order.
  func keys() throws -> [UInt64] {
    try read { transaction in
      var keys: [UInt64] = []
      try transaction.scan(log) { key, _ in
        keys.append(key)
        return true
      }
      return keys
    }
  }
}

extension Span<UInt8> {
  var bytesArray: [UInt8] {
    var result: [UInt8] = []
    for index in indices { result.append(self[index]) }
    return result
  }
}

/// The error that `body` throws, as an error of this layer.
func lmdbError(_ body: () throws -> Void) -> LMDBError? {
  do {
    try body()
    return nil
  } catch {
    return error as? LMDBError
  }
}
