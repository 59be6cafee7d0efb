/// Tells now and then that a long walk goes on, whatever it finds.
package struct Pulse: Sendable {
  /// So many steps take a moment at most, also on a slow disk.
  static let interval = 1_000

  private var count = 0

  package init() {}

  /// Counts steps of about one record each.
  ///
  /// - Parameter tick: Called after each ``interval`` of them.
  package mutating func beat(_ tick: () -> Void, steps: Int = 1) {
    count += steps
    guard count >= Self.interval else { return }
    count = 0
    tick()
  }
}
