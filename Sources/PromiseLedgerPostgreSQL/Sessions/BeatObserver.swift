import LedgerModel

/// What one process saw of the beats of others: a session is dead if its beat stayed the same for a lease.
///
/// Only time between looks counts, and of a long pause between two looks only a little: after the observer itself was
/// stopped, the others have time to show that they live. Clocks of different hosts are never compared.
struct BeatObserver {
  private struct Sight {
    var beat: Int64
    var lastLook: Duration
    /// How long the beat stayed the same.
    var stillFor: Duration
  }

  private let lease: Duration
  private var sights: [SessionID: Sight] = [:]

  init(lease: Duration) {
    self.lease = max(lease, .seconds(5))
  }

  /// The part of a pause between two looks that counts.
  private var countedPause: Duration { lease / 4 }

  /// Notes a beat.
  ///
  /// - Returns: Whether the session is dead.
  mutating func note(_ beat: Int64, of session: SessionID, at now: Duration) -> Bool {
    guard var sight = sights[session], sight.beat == beat else {
      sights[session] = Sight(beat: beat, lastLook: now, stillFor: .zero)
      return false
    }
    sight.stillFor += min(now - sight.lastLook, countedPause)
    sight.lastLook = now
    sights[session] = sight
    return sight.stillFor >= lease
  }

  /// The beat at which a session was found dead; `nil` if it was not.
  func beatOfDeath(_ session: SessionID) -> Int64? {
    guard let sight = sights[session], sight.stillFor >= lease else { return nil }
    return sight.beat
  }

  /// Forgets a session.
  mutating func forget(_ session: SessionID) { sights[session] = nil }

  /// Forgets everything, because the connection was interrupted: the others may not have reached the server either.
  mutating func forgetAll() { sights = [:] }
}
