import LedgerModelTestSupport
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

  /// The stores for which the contract is checked.
  static let all = [lmdb, inMemory, remote]

  static let lmdb = StoreMaker("LMDB", .files)
  static let inMemory = StoreMaker("in memory", .memory)
  static let remote = StoreMaker("as over a network", .remoteLike, findsDeadSessions: false)

  private init(
    _ testDescription: String, _ storage: LedgerStorage, findsDeadSessions: Bool = true
  ) {
    self.testDescription = testDescription
    self.storage = storage
    self.findsDeadSessions = findsDeadSessions
  }

  /// The contract of the store.
  var contract: StoreContract {
    StoreContract(storage, findsDeadSessions: findsDeadSessions)
  }

  func make() throws -> StoreUnderTest { try contract.makeSubject() }
}

extension LedgerStorage {
  /// A store that loses a race in every commit, as one over a network may.
  fileprivate static let remoteLike = LedgerStorage { _ in
    let store = RemoteLikeStore()
    return Place(sessions: UnwatchedSessions()) { store }
  }
}
