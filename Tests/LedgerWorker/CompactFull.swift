import Foundation
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// Fills the disk beside a ledger that was compacted before, opens the ledger again to compact it
/// while the disk is full, and uses the room that this made.
struct CompactFull {
  private static let promiseCount = 20

  private let path: String
  /// Whether the limit on the size of files is the obstacle, and not a file on a small disk.
  private let setsLimit: Bool

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    setsLimit = arguments.has("limit")
  }

  func run() async throws {
    FileSizeLimit.prepare()
    let before = try await open(.app)
    try await live(before, Self.promiseCount)
    _ = try await before.compact(.everything())
    try await live(before, Self.promiseCount / 4)
    await before.close()
    try fillDisk()

    let inspector = try BlockingInspector(at: path)
    Output.line(try inspector.head > .start ? "read" : "empty")
    inspector.close()

    let compacting = try await open(.operator)
    Output.line("opened")
    let report = try await compacting.compact(.everything())
    Output.line(report.deletedEvents > 0 ? "compacted" : "not compacted")
    await compacting.close()

    let after = try await open(.app)
    try await live(after, Self.promiseCount / 4)
    Output.line("used")
    await after.close()
  }

  private func fillDisk() throws {
    let file = path + "/generation-000001/data.mdb"
    if setsLimit {
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
      return try FileSizeLimit.set(size)
    }
    let ballast = path + ".ballast"
    try Data().write(to: URL(fileURLWithPath: ballast))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: ballast))
    let block = Data(repeating: 1, count: 4_096)
    while (try? handle.write(contentsOf: block)) != nil {}
  }

  private func open(_ role: SessionRole) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    return try await Ledger.open(at: path, as: role, configuration: configuration)
  }

  private func live(_ ledger: Ledger, _ count: Int) async throws {
    for _ in 0..<count {
      let promise = try await ledger.createPromise(of: [UInt8].self)
      guard try await promise.fulfill([UInt8](repeating: 7, count: 20_000)).isSuccess else {
        throw UsageError(what: "not resolved")
      }
      _ = try await promise.consume()
    }
  }
}
