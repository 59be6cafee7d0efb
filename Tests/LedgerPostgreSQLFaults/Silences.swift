/// The times without an acknowledgement.
struct Silences: Sendable {
  private var last = ContinuousClock.now
  private var longest = Duration.zero

  /// Notes an acknowledgement.
  mutating func end() {
    let now = ContinuousClock.now
    longest = max(longest, now - last)
    last = now
  }

  /// Takes the longest silence since the last call.
  mutating func takeLongest() -> Duration {
    defer { longest = .zero }
    return longest
  }
}
