/// Signals now and then that a long walk is progressing, whatever it finds.
package struct Pulse: Sendable {
  /// This many steps take only a moment, even on a slow disk.
  static let interval = 1_000

  private var count = 0

  package init() {}

  /// Counts steps of about one record each.
  ///
  /// - Parameter tick: Called after every ``interval`` steps.
  package mutating func beat(_ tick: () -> Void, steps: Int = 1) {
    count += steps
    guard count >= Self.interval else { return }
    count = 0
    tick()
  }
}
