import LedgerModel

/// What one process saw of the beats of others: a session is dead if its beat stayed the same for a lease.
///
/// Only time between looks counts, and of a long pause between two looks only a little: after the observer itself was
/// stopped, the others have time to show that they live. Clocks of different hosts are never compared.
///
/// Something on the server may keep all sessions from beating, the observer's own included. So one of its own beats must
/// have come through two pauses after it first saw that of the other: a session that lives has made another one by then.
struct BeatObserver {
  /// The pause between two beats of a session.
  static let beatPause = Duration.seconds(3)
  static let shortestLease = Duration.seconds(5)

  private struct Sight {
    var beat: Int64
    let firstLook: Duration
    var lastLook: Duration
    /// How long the beat stayed the same.
    var stillFor = Duration.zero
    var isDead = false
  }

  private let lease: Duration
  private var sights: [SessionID: Sight] = [:]

  init(lease: Duration) {
    self.lease = max(lease, Self.shortestLease)
  }

  /// Notes a beat.
  ///
  /// - Parameters:
  ///   - now: The time of the look.
  ///   - heardAt: The time at which the newest beat of the observer itself came through.
  ///   - lease: A shorter lease, for a session of which more is known than its beat.
  /// - Returns: Whether the session is dead.
  mutating func note(
    _ beat: Int64, of session: SessionID, at now: Duration, heardAt: Duration,
    lease: Duration? = nil
  ) -> Bool {
    guard var sight = sights[session], sight.beat == beat else {
      sights[session] = Sight(beat: beat, firstLook: now, lastLook: now)
      return false
    }
    let lease = min(lease ?? self.lease, self.lease)
    sight.stillFor += min(now - sight.lastLook, lease / 4)
    sight.lastLook = now
    sight.isDead =
      sight.stillFor >= lease && heardAt - sight.firstLook >= Self.beatPause * 2
    sights[session] = sight
    return sight.isDead
  }

  /// The beat at which a session was found dead; `nil` if it was not.
  func beatOfDeath(_ session: SessionID) -> Int64? {
    guard let sight = sights[session], sight.isDead else { return nil }
    return sight.beat
  }

  /// Forgets a session.
  mutating func forget(_ session: SessionID) { sights[session] = nil }

  /// Forgets everything, because the connection was interrupted: the others may not have reached the server either.
  mutating func forgetAll() { sights = [:] }
}
