/// How much is measured.
enum Mode: String {
  /// Some minutes.
  case quick
  /// About an hour.
  case full

  var callerCounts: [Int] { [1, 8, 64, 512] }

  var roundCount: Int { self == .quick ? 3 : 9 }
  var turn: Duration { self == .quick ? .milliseconds(300) : .seconds(1) }
  var warmUp: Duration { .milliseconds(50) }
  var flushCount: Int { 100 }
  var handOverCount: Int { self == .quick ? 40 : 300 }

  /// The numbers of events in ledgers that are opened.
  var sizes: [Int] {
    let small = [1_000, 10_000, 100_000]
    return self == .quick ? small : small + [1_000_000, 10_000_000]
  }

  var openingCount: Int { self == .quick ? 5 : 9 }
  var shapeRoundCount: Int { self == .quick ? 7 : 25 }
}
