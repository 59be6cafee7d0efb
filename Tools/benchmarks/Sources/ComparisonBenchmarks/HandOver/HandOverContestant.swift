/// A promise that one process resolves and another one waits for.
protocol HandOverContestant: Sendable {
  /// Creates a promise; returns its name for the other process.
  func make() async throws -> String
  func resolve(_ name: String) async throws
  /// Waits until it is resolved.
  func wait(for name: String) async throws
  func close() async
}

enum HandOverEntry: String, CaseIterable, Sendable {
  case ledger = "ledger"
  case polling = "GRDB FULL, polling every 10 ms"
  case observation = "GRDB FULL, ValueObservation told every 10 ms"

  func open(at directory: String) async throws -> any HandOverContestant {
    switch self {
    case .ledger: try await LedgerHandOver(at: directory)
    case .polling: try PollingHandOver(at: directory)
    case .observation: try ObservationHandOver(at: directory)
    }
  }
}
