import Foundation
import LedgerHistoryClient
import LedgerTestSupport
import PromiseLedgerPostgreSQL

/// Makes histories on a ledger of a server.
struct Histories {
  private let place: PostgreSQLLedger
  private let role: SessionRole
  private let maker: HistoryMaker

  init(_ place: PostgreSQLLedger, name: String, role: String, seed: UInt64) throws {
    self.place = place
    self.role = role == "app" ? .app : .appExtension
    maker = HistoryMaker(name, as: self.role, seed: seed) { WholeLine.print($0) }
  }

  func run() async throws {
    let ledger = try await open()
    try await maker.run(on: ledger)
    await ledger.close()
  }

  /// Opens the ledger, also while its server is away or others are slow.
  private func open() async throws -> Ledger {
    for _ in 0..<100 {
      do {
        return try await Ledger.open(place, as: role, configuration: try maker.configuration())
      } catch let error as LedgerError where error.code == .writerStalled {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
      } catch let error as LedgerError where error.code == .unavailable {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    return try await Ledger.open(place, as: role, configuration: try maker.configuration())
  }
}
