import Synchronization

/// Wakes a runner some time before work becomes due by itself, when the listener polls: a timer of the
/// runner's own would have to wake the process as often, since the clock may be set meanwhile.
final class Alarm: Sendable {
  private let pending = Mutex<(time: Timestamp, ring: @Sendable () -> Void)?>(nil)

  var isSet: Bool { pending.withLock { $0 != nil } }

  /// Calls a closure once, when the time has come; replaces what was set before.
  func set(at time: Timestamp, _ ring: @escaping @Sendable () -> Void) {
    pending.withLock { $0 = (time, ring) }
  }

  func cancel() { pending.withLock { $0 = nil } }

  /// Rings if the time has come.
  func ring(at now: Timestamp) {
    let due = pending.withLock { pending -> (@Sendable () -> Void)? in
      guard let alarm = pending, alarm.time <= now else { return nil }
      pending = nil
      return alarm.ring
    }
    due?()
  }
}
