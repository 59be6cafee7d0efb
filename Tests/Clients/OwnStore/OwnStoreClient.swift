import LedgerRuntime
import LedgerRuntimeTesting

/// A package with a store of its own: it proves the store, shows that a broken one is found, and uses it.
@main
struct OwnStoreClient {
  static func main() async throws {
    try await StoreContract(storage(losesValues: false)).check()

    let violations = await StoreContract(storage(losesValues: true)).violations()
    guard !violations.isEmpty else { fatalError("A store that loses values keeps the contract.") }

    try await withLedger(storage(losesValues: false)) { tester in
      let (app, server) = (try await tester.app(), try await tester.appExtension())
      let promise = try await app.ledger.createPromise(of: String.self)
      try await tester.when { try await server.promise(promise).fulfill("kept") }
        .then(.promiseResolved(promise, .fulfilled("kept")))
    }

    let place = makePlace(Timestamp(nanosecondsSinceEpoch: 0), losesValues: false)
    let ledger = try await Ledger.open({ place.store }, place.sessions, as: .app)
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(7)
    guard try await promise.consume() == 7 else { fatalError("The value is not 7.") }
    await ledger.close()
    print("The store proves itself; of a broken one, \(violations.count) rules say so.")
  }

  private static func storage(losesValues: Bool) -> LedgerStorage {
    LedgerStorage { time in
      let place = makePlace(time, losesValues: losesValues)
      return LedgerStorage.Place(sessions: place.sessions) { place.store }
    }
  }

  private static func makePlace(
    _ time: Timestamp, losesValues: Bool
  ) -> (store: ShelfStore, sessions: ShelfSessions) {
    let id = LedgerID(entityID: RandomIDGenerator().makeID(at: time))
    return (ShelfStore(id, createdAt: time, losesValues: losesValues), ShelfSessions())
  }
}
