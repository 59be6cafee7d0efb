import LedgerLMDB
import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct MapGrowthTests {
  @Test(arguments: [1 << 30, Int.max])
  func aSmallMapGrowsWithTheLedger(limit: Int) async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.files.sizeLimitInBytes = limit
    configuration.files.environment.mapSize = 1 << 20
    let app = try await temporary.open(configuration: configuration)
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<8 {
      try await app.createPromise(of: [UInt8].self).fulfill(bytes)
    }
    await app.close()
    let again = try await temporary.open(configuration: configuration)
    for record in try await again.unconsumedPromises() {
      #expect(record.outcome == .fulfilled(StoredValue(typeTag: "bytes", bytes: bytes)))
    }
    #expect(try await again.unconsumedPromises().count == 8)
    await again.close()
  }

  @Test func aNewLedgerAndACopyOutgrowASmallMap() throws {
    let temporary = try TemporaryLedger()
    let (source, copy) = (
      try emptyFiles(temporary.path + ".source"), try emptyFiles(temporary.path + ".copy")
    )
    let construction = try LMDBConstruction(source)
    let (frame, value) = ([UInt8](repeating: 7, count: 900), [UInt8](repeating: 8, count: 1 << 18))
    let keys = Array(1...UInt64(24))
    for key in keys {
      try construction.append(
        [(key: key, bytes: frame)], attachments: [(position: Position(rawValue: key), bytes: value)]
      )
    }
    try source.read { view in
      try TableCopy(from: LedgerTables(source), to: copy) { _ in }.copy(view)
    }
    for files in [source, copy] {
      let log = LMDBLog(files)
      for key in keys {
        let stored = try log.attachment(of: Position(rawValue: key), byteCount: value.count)
        #expect(stored == value)
      }
    }
  }

  private func emptyFiles(_ path: String) throws -> Environment {
    try FileSystem.createDirectory(path)
    return try Environment.open(
      at: path, configuration: Configuration(mapSize: 1 << 20), tables: LedgerTables.descriptions)
  }

  @Test func aSecondSessionFollowsAMapThatGrew() async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.files.environment.mapSize = 1 << 20
    let app = try await temporary.open(configuration: configuration)
    let helper = try await temporary.open(as: .appExtension, configuration: configuration)
    let bytes = [UInt8](repeating: 9, count: 1 << 20)
    let promises = try await withThrowingTaskGroup(of: PromiseID.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let promise = try await app.createPromise(of: [UInt8].self)
          try await helper.promise(id: promise.id, of: [UInt8].self).fulfill(bytes)
          return promise.id
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for id in promises {
      #expect(try await app.promise(id: id, of: [UInt8].self).consume() == bytes)
    }
    await helper.close()
    await app.close()
  }
}
