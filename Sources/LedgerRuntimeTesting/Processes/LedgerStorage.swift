public import LedgerModel

/// The place where a ``LedgerTester`` keeps its ledger.
public struct LedgerStorage: Sendable {
  /// A new ledger's place, for as many sessions as a test opens.
  public struct Place: Sendable {
    /// Opens the store.
    package let openStore: @Sendable () throws(LedgerError) -> any EventStore
    /// The registry of the sessions.
    package let sessions: any SessionRegistry

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - sessions: The registry of the ledger's sessions.
    ///   - openStore: Opens a store of the ledger; each session has one of its own.
    public init(
      sessions: any SessionRegistry,
      openStore: @escaping @Sendable () throws(LedgerError) -> any EventStore
    ) {
      self.sessions = sessions
      self.openStore = openStore
    }
  }

  /// Makes the place of a new ledger that is created at a time.
  package let makePlace: @Sendable (Timestamp) throws(LedgerError) -> Place

  /// Makes a storage of your own stores.
  ///
  /// - Parameter makePlace: Makes the place of a new, empty ledger that is created at a time. It is called once for
  ///   each ledger.
  public init(_ makePlace: @escaping @Sendable (Timestamp) throws(LedgerError) -> Place) {
    self.makePlace = makePlace
  }

  /// Memory: nothing is durable, and nothing is left behind.
  public static let memory = LedgerStorage { _ in
    let store = InMemoryEventStore()
    return Place(sessions: InMemorySessions()) { store }
  }
}
