import Foundation

/// One way to do jobs.
struct Contestant: Sendable {
  /// What a contestant did, round by round.
  struct Measurement {
    var perSecond: [Double] = []
    /// Microseconds of processor time for each job.
    var cost: [Double] = []

    /// The median ratio of the rates of one round: a temporary slowdown of the machine affects both.
    func ratio(to other: Measurement) -> Double {
      zip(perSecond, other.perSecond).map { $0 / $1 }.median
    }
  }

  let name: String
  /// Does jobs for some time; returns their number.
  let run: @Sendable (Duration) async throws -> Int

  init(_ name: String, run: @escaping @Sendable (Duration) async throws -> Int) {
    self.name = name
    self.run = run
  }

  /// Lets contestants take turns, every other round in the opposite order.
  static func measure(_ contestants: [Contestant], rounds: Int) async throws -> [Measurement] {
    var measurements = contestants.map { _ in Measurement() }
    for contestant in contestants { _ = try await contestant.run(.milliseconds(200)) }
    let clock = ContinuousClock()
    for round in 0..<rounds {
      let order = Array(contestants.indices)
      for index in round.isMultiple(of: 2) ? order : order.reversed() {
        let (start, processorStart) = (clock.now, processorTime)
        let count = Double(try await contestants[index].run(.seconds(1)))
        measurements[index].perSecond.append(count / ((clock.now - start) / .seconds(1)))
        measurements[index].cost.append((processorTime - processorStart) / count)
      }
    }
    return measurements
  }

  /// In microseconds, of all threads.
  private static var processorTime: Double { Double(clock()) }

  func line(_ measurement: Measurement) -> String {
    let (rates, cost) = (measurement.perSecond, measurement.cost.median)
    let name = name.padding(toLength: 32, withPad: " ", startingAt: 0)
    return name
      + String(
        format: "%8.0f a second (%.0f to %.0f) %8.1f µs of CPU each", rates.median,
        rates.min() ?? .nan, rates.max() ?? .nan, cost)
  }
}

extension [Double] {
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
