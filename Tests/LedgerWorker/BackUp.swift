import PromiseLedger

/// Backs up a ledger, and prints the position of the last event in the backup.
struct BackUp {
  private let path: String
  private let target: String

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    target = try arguments.next("target")
  }

  func run() async throws {
    let inspector = try await Ledger.inspect(at: path)
    let backup = try await inspector.backUp(to: target)
    Output.line("backed up \(backup.position)")
    inspector.close()
  }
}
