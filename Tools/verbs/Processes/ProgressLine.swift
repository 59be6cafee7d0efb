import LedgerSystem

/// A line at the end of a terminal that shows how far long work has come: the share that is done, the rate, and the
/// time that is left.
struct ProgressLine {
  /// Shorter work is not worth a line.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)

  private let start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?
  /// What was done when the line was first asked for: the rate refers to the rest.
  private var first: (done: UInt64, time: ContinuousClock.Instant)?
  private var isDrawn = false

  init(start: ContinuousClock.Instant) { self.start = start }

  /// The text that draws the line anew; `nil` if it is not time for that.
  mutating func draw(
    _ done: UInt64, of total: UInt64, at now: ContinuousClock.Instant
  ) -> String? {
    if first.map({ done < $0.done }) ?? true { first = (done, now) }
    guard total > 0, now - start >= Self.patience,
      lastDrawn.map({ now - $0 >= Self.interval }) ?? true
    else { return nil }
    (lastDrawn, isDrawn) = (now, true)
    let share = Int(Double(min(done, total)) / Double(total) * 100)
    var words = "\(share) %  \(done) of \(total) events"
    if let first, done > first.done, case let rate = Self.rate(done - first.done, now - first.time),
      rate > 0
    {
      let left = Duration.seconds((total - min(done, total)) / rate)
      words += ", \(rate)/s, \(left.longWords(isASCII: true)) left"
    }
    // Without wrapping, it stays one line on a narrow terminal.
    return "\r\u{1B}[K\u{1B}[?7l\(words)\u{1B}[?7h"
  }

  private static func rate(_ count: UInt64, _ time: Duration) -> UInt64 {
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    return seconds > 0 ? UInt64(Double(count) / seconds) : 0
  }

  /// The text that removes the line; `nil` if there is none.
  mutating func clear() -> String? {
    guard isDrawn else { return nil }
    isDrawn = false
    return "\r\u{1B}[K"
  }
}
