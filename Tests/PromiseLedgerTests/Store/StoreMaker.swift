import LedgerModelTestSupport
import LedgerPostgreSQLTestSupport
import LedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

typealias StoreUnderTest = StoreSubject

/// Makes a new store each time.
struct StoreMaker: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let storage: LedgerStorage
  private let findsDeadSessions: Bool
  /// Whether each of its answers is a round trip.
  let isSlow: Bool

  /// The stores for which the contract is checked. PostgreSQL is left out where no server is installed;
  /// `StoreContractTests` then has a test that is skipped and says so.
  static let all = [lmdb, inMemory, remote] + (TestServer.isAvailable ? [postgreSQL] : [])

  static let lmdb = StoreMaker("LMDB", .files)
  static let inMemory = StoreMaker("in memory", .memory)
  static let postgreSQL = StoreMaker("PostgreSQL", .postgreSQL, isSlow: true)
  static let remote = StoreMaker("as over a network", .remoteLike, findsDeadSessions: false)

  private init(
    _ testDescription: String, _ storage: LedgerStorage, findsDeadSessions: Bool = true,
    isSlow: Bool = false
  ) {
    self.testDescription = testDescription
    self.storage = storage
    self.findsDeadSessions = findsDeadSessions
    self.isSlow = isSlow
  }

  /// Every store with each seed from 1 on; PostgreSQL with one of four.
  static func all(seeds count: Int) -> [(maker: StoreMaker, seed: UInt64)] {
    all.flatMap { maker in
      let share = maker.isSlow ? TestAmount.of((count + 3) / 4) : count
      return (0..<share).map { (maker, UInt64($0) + 1) }
    }
  }

  /// The contract of the store.
  var contract: StoreContract {
    StoreContract(storage, findsDeadSessions: findsDeadSessions)
  }

  /// A new ledger's place, for sessions.
  func makePlace() throws -> LedgerStorage.Place { try contract.makePlace() }

  func make() throws -> StoreUnderTest { try contract.makeSubject() }
}

extension LedgerStorage {
  /// A store that loses a race in every commit, as one over a network may.
  fileprivate static let remoteLike = LedgerStorage { _ in
    let store = RemoteLikeStore()
    return Place(sessions: UnwatchedSessions()) { store }
  }
}
