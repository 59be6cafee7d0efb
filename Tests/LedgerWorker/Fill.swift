import Foundation
import PromiseLedger

/// Creates and resolves promises until there is no room for more, makes room, continues, opens the
/// ledger again and prints its contents in `C`, `R`, `K` and `S` lines, like other workers.
struct Fill {
  /// The obstacle that keeps the ledger from growing.
  private enum Obstacle: String {
    /// The limit on the size of this process's files.
    case limit
    /// A large file on a small disk.
    case ballast
  }

  private static let largestPromiseCount = 2_000

  private let path: String
  private let obstacle: Obstacle
  /// The number of bytes that the limit leaves, or the size of the ballast.
  private let byteCount: Int
  private var ballast: String { path + ".ballast" }

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    let word = try arguments.next("obstacle")
    guard let obstacle = Obstacle(rawValue: word) else {
      throw UsageError(what: "no obstacle \(word)")
    }
    self.obstacle = obstacle
    byteCount = try arguments.number("bytes")
  }

  func run() async throws {
    FileSizeLimit.prepare()
    if obstacle == .limit {
      try FileSizeLimit.set(4_096)
      do {
        await (try Ledger.open(at: path, as: .app)).close()
        throw UsageError(what: "created without room")
      } catch let error as LedgerError {
        Output.line("creation \(error.code)")
      }
      try FileSizeLimit.set(nil)
    }
    let ledger = try await Ledger.open(at: path, as: .app)
    Output.line("opened \(ledger.session)")
    let first = try await live(ledger)
    try placeObstacle()
    try await fillUp(ledger)
    // Still full: the same happens again, and reading continues.
    try await fillUp(ledger)
    Output.line("value \(try await first.outcome.get().count)")
    try removeObstacle()
    Output.line("room")
    _ = try await live(ledger)
    try await ledger.freeze()
    try await ledger.unfreeze()
    _ = try await first.consume()
    Output.line("K \(first.id)")
    await ledger.close()
    try await sayEvents()
  }

  private func fillUp(_ ledger: Ledger) async throws {
    for _ in 0..<Self.largestPromiseCount {
      do {
        _ = try await live(ledger)
      } catch let error as LedgerError {
        Output.line("full \(error.code)")
        return
      }
    }
    throw UsageError(what: "never full")
  }

  private func live(_ ledger: Ledger) async throws -> DurablePromise<[UInt8]> {
    let promise = try await ledger.createPromise(of: [UInt8].self)
    Output.line("C \(promise.id)")
    guard try await promise.fulfill([UInt8](repeating: 7, count: 20_000)).isSuccess else {
      throw UsageError(what: "not resolved")
    }
    Output.line("R \(promise.id)")
    return promise
  }

  private func sayEvents() async throws {
    let ledger = try await Ledger.open(at: path, as: .app)
    let head = try await ledger.catchUp()
    for try await event in ledger.events() {
      Output.line("S \(event.position) \(event.kind.rawValue) \(event.subject)")
      if event.position >= head { break }
    }
    await ledger.close()
    Output.line("done")
  }

  // MARK: Obstacles

  private func placeObstacle() throws {
    switch obstacle {
    case .limit:
      let file = path + "/generation-000001/data.mdb"
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
      try FileSizeLimit.set(size + byteCount)
    case .ballast:
      try Data(repeating: 1, count: byteCount).write(to: URL(fileURLWithPath: ballast))
    }
  }

  private func removeObstacle() throws {
    switch obstacle {
    case .limit: try FileSizeLimit.set(nil)
    case .ballast: try FileManager.default.removeItem(atPath: ballast)
    }
  }
}
