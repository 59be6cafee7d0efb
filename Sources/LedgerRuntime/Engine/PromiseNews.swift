/// The promises that changed since they were last asked for, up to a limit.
struct PromiseNews {
  /// The maximum number of promises.
  private static let limit = 4_096

  private let ring: @Sendable () -> Void
  private var ids: Set<PromiseID> = []
  // Nothing was read yet.
  private var isComplete = false
  private var hasRung = false

  init(ring: @escaping @Sendable () -> Void) {
    self.ring = ring
  }

  mutating func note(_ id: PromiseID) {
    if ids.count < Self.limit { ids.insert(id) } else if !ids.contains(id) { isComplete = false }
  }

  /// Notes that promises may have changed whose events were not read.
  mutating func noteMissed() { isComplete = false }

  mutating func take() -> (ids: Set<PromiseID>, isComplete: Bool) {
    defer { (ids, isComplete, hasRung) = ([], true, false) }
    return (ids, isComplete)
  }

  /// Returns the closure to call, if there is something to take and it was not called for that.
  mutating func takeRing() -> (@Sendable () -> Void)? {
    guard !hasRung, !ids.isEmpty || !isComplete else { return nil }
    hasRung = true
    return ring
  }
}
