package import LedgerModel
package import LedgerRuntimeTesting

/// A store that forwards everything to one in memory, unless it overrides it.
package protocol ForwardingStore: ForwardingEventStore {
  /// The store in memory.
  var store: InMemoryEventStore { get }
}

extension ForwardingStore {
  package var base: any EventStore { store }
}
