import LedgerSystem
import LedgerTestSupport
import PromiseLedgerPostgreSQL

/// Holds a session with a promise. For each line of its input, it tries to create a promise with that label, and prints
/// `created`, or the code of the error.
struct Holding {
  private let place: PostgreSQLLedger

  init(_ place: PostgreSQLLedger) { self.place = place }

  func run() async throws {
    var configuration = LedgerConfiguration()
    configuration.instance = "\(ThisProcess.id)"
    let ledger = try await Ledger.open(place, as: .app, configuration: configuration)
    _ = try await ledger.createPromise(of: Int.self, label: "before")
    WholeLine.print("opened \(ledger.session)")
    while let label = readLine() {
      do {
        _ = try await ledger.createPromise(of: Int.self, label: label)
        WholeLine.print("created")
      } catch let error as LedgerError {
        WholeLine.print("\(error.code)")
      }
    }
    await ledger.close()
  }
}
