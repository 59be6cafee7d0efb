import Synchronization

/// Something that happened, or not yet.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }

  func clear() { value.store(false, ordering: .releasing) }
}
