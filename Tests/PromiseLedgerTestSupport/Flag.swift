import Synchronization

/// Something that happened, or not yet.
package final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .acquiring) }

  package func set() { value.store(true, ordering: .releasing) }

  package func clear() { value.store(false, ordering: .releasing) }
}
