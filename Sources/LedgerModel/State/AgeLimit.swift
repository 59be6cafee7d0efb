/// How old something must be to leave, by the store's time, or that of the configured
/// clock.
///
/// The time of an event is what its writer's clock said, and that clock may have been wrong. A time
/// that is still to come says nothing about age. What bears it is as old as what follows it in the
/// order of positions: a walk in that order passes over it, and takes it along as soon as a later
/// entry is old enough.
package struct AgeLimit: Sendable, Hashable {
  /// What a time says about age.
  package enum Verdict: Sendable, Hashable {
    /// It is old enough.
    case old
    /// It is not old enough: a walk ends here.
    case young
    /// The time is still to come and says nothing.
    case unknown
  }

  /// What happened at this time or before is old enough.
  package let cutoff: Timestamp
  /// The store's time, or that of the configured clock.
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
