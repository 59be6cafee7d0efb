import LedgerModelTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Makes a new store each time, for the contracts to check.
struct StoreMaker: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether its sessions can outlive their processes, and are then found.
  var findsDeadSessions = false
  let make: @Sendable () throws -> StoreUnderTest

  /// The stores for which the contracts run.
  static let all = [lmdb, inMemory, remote]

  static let lmdb = StoreMaker(testDescription: "LMDB", findsDeadSessions: true) {
    let directory = try TemporaryLedger()
    let place = LedgerDirectory(directory.path)
    let options = StoreOptions(sizeLimit: 1 << 30)
    return StoreUnderTest(
      store: try LMDBEventStore.openOrCreate(
        place, options: options, newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)),
        now: .at(0)),
      sessions: FileSessionRegistry(in: place),
      reopened: {
        try withExtendedLifetime(directory) { try LMDBEventStore(opening: place, options: options) }
      })
  }

  static let inMemory = StoreMaker(testDescription: "in memory") {
    StoreUnderTest(store: InMemoryEventStore())
  }

  static let remote = StoreMaker(testDescription: "as over a network") {
    StoreUnderTest(store: RemoteLikeStore())
  }
}
