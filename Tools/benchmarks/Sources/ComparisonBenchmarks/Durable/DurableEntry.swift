/// The contestants by name, so that two processes can agree on one.
enum DurableEntry: String, CaseIterable, Sendable {
  case ledger = "ledger"
  case ledgerOnWriter = "ledger, callers on its executor"
  case lmdb = "C LMDB, grouped by hand"
  case fullRows = "GRDB FULL, row updated in place"
  case fullEvents = "GRDB FULL, row for each event"
  case normalRows = "GRDB NORMAL, row updated in place"
  case normalEvents = "GRDB NORMAL, row for each event"

  func open(at directory: String) async throws -> any DurableContestant {
    switch self {
    case .ledger: try await LedgerContestant(at: directory, isOnWriter: false)
    case .ledgerOnWriter: try await LedgerContestant(at: directory, isOnWriter: true)
    case .lmdb: try LMDBContestant(at: directory)
    case .fullRows: try RowContestant(at: directory, .full)
    case .fullEvents: try EventContestant(at: directory, .full)
    case .normalRows: try RowContestant(at: directory, .normal)
    case .normalEvents: try EventContestant(at: directory, .normal)
    }
  }
}
