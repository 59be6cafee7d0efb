import LedgerSystem
import PromiseLedger

/// One figure of the report: its name, its target and its value.
struct Figure {
  let name: String
  let value: Double
  let bar: Bar?
  let note: String

  enum Bar {
    case atLeast(Double)
    case atMost(Double)
  }

  var isMet: Bool {
    switch bar {
    case .atLeast(let bar): value >= bar
    case .atMost(let bar): value <= bar
    case nil: true
    }
  }
}

/// Prints figures as they are measured.
struct Report {
  private(set) var missed: [String] = []

  mutating func add(_ name: String, _ value: Double, _ bar: Figure.Bar?, _ note: String = "") {
    let figure = Figure(name: name, value: value, bar: bar, note: note)
    let target =
      switch bar {
      case .atLeast(let bar): ">= \(bar)"
      case .atMost(let bar): "<= \(bar)"
      case nil: ""
      }
    let mark = bar == nil ? "    " : figure.isMet ? "ok  " : "MISS"
    print("\(mark) \(pad(name, 54)) \(pad(rounded(value), 10)) \(pad(target, 12)) \(note)")
    if !figure.isMet { missed.append(name) }
  }

  /// Notes that something could not be measured.
  mutating func miss(_ why: String) {
    print("MISS \(why)")
    missed.append(why)
  }
}

func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// Three significant decimals.
func rounded(_ value: Double) -> String {
  let scaled = (value * 1_000).rounded() / 1_000
  return String(scaled)
}

extension Duration {
  var inMicroseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}

func time(_ body: () throws -> Void) rethrows -> Duration {
  let start = MonotonicClock.now
  try body()
  return MonotonicClock.now - start
}

func timeAsync(_ body: () async throws -> Void) async rethrows -> Duration {
  let start = MonotonicClock.now
  try await body()
  return MonotonicClock.now - start
}

extension [Double] {
  var median: Double { quantile(0.5) }

  func quantile(_ q: Double) -> Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return sorted[Swift.min(Int(Double(count) * q), count - 1)]
  }
}

extension LedgerConfiguration {
  private static let isWithoutCompaction = CommandLine.arguments.contains("--without-compaction")

  /// The configuration that the arguments request: the default, or without automatic compaction.
  static let asked = isWithoutCompaction ? withoutCompaction : LedgerConfiguration()

  /// For measurements without a concurrent compaction.
  static let withoutCompaction: LedgerConfiguration = {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    return configuration
  }()
}
