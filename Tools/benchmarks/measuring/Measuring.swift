import LedgerSystem

/// One figure of the report: its name, its target and its value.
package struct Figure {
  let name: String
  let value: Double
  let bar: Bar?
  let note: String

  package enum Bar {
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
package struct Report {
  package private(set) var missed: [String] = []

  package init() {}

  package mutating func add(
    _ name: String, _ value: Double, _ bar: Figure.Bar?, _ note: String = ""
  ) {
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
  package mutating func miss(_ why: String) {
    print("MISS \(why)")
    missed.append(why)
  }
}

package func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// Three significant decimals.
package func rounded(_ value: Double) -> String {
  let scaled = (value * 1_000).rounded() / 1_000
  return String(scaled)
}

extension Duration {
  package var inMicroseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}

package func time(_ body: () throws -> Void) rethrows -> Duration {
  let start = MonotonicClock.now
  try body()
  return MonotonicClock.now - start
}

package func timeAsync(_ body: () async throws -> Void) async rethrows -> Duration {
  let start = MonotonicClock.now
  try await body()
  return MonotonicClock.now - start
}

extension [Double] {
  package var median: Double { quantile(0.5) }

  package func quantile(_ q: Double) -> Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return sorted[Swift.min(Int(Double(count) * q), count - 1)]
  }
}
