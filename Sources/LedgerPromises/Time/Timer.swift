/// A single call after a while, on a clock that tests can replace.
struct Timer: Sendable {
  /// A century, which is for ever; clocks overflow not far beyond.
  private static let longest = Duration.seconds(3_155_760_000)

  private let task: Task<Void, Never>

  /// Calls `body` once `duration` is over; at once, but not inside this call, if it is zero or less.
  ///
  /// The deadline is fixed now, not when the timer's task gets to run.
  init(
    after duration: Duration, on clock: some Clock<Duration>, _ body: @escaping @Sendable () -> Void
  ) {
    let deadline = clock.now.advanced(by: min(max(duration, .zero), Self.longest))
    task = Task {
      do {
        try await clock.sleep(until: deadline, tolerance: nil)
      } catch {
        return
      }
      if !Task.isCancelled { body() }
    }
  }

  /// Lets go of the timer.
  func cancel() {
    task.cancel()
  }
}
