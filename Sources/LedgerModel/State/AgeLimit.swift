/// The minimum age of something to be removed, by the store's clock or the configured clock.
///
/// The time of an event is the reading of its writer's clock, which may have been wrong. A time in the future
/// says nothing about age, so an item with such a time is considered as old as the items after it in the
/// order of positions: a walk in that order passes over it, and includes it as soon as a later entry is old
/// enough.
package struct AgeLimit: Sendable, Hashable {
  /// The conclusion about age from a time.
  package enum Verdict: Sendable, Hashable {
    /// The item is old enough.
    case old
    /// The item is not old enough: a walk ends here.
    case young
    /// The time is in the future and says nothing about age.
    case unknown
  }

  /// The newest time that is old enough.
  package let cutoff: Timestamp
  /// The current time of the store's clock or the configured clock.
  package let now: Timestamp

  package init(cutoff: Timestamp, now: Timestamp) {
    self.cutoff = cutoff
    self.now = now
  }

  package func verdict(on time: Timestamp) -> Verdict {
    if time <= cutoff { return .old }
    return time > now ? .unknown : .young
  }
}
