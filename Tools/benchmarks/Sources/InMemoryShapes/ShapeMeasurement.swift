import CAllocations

/// The cost of one way of doing a shape, for each unit of work.
package struct ShapeMeasurement {
  package let contestant: Contestant
  /// Nanoseconds, round by round.
  package var rounds: [Double] = []
  /// Allocations on the heap, or `nil` if they cannot be counted.
  package var allocations: Double?

  /// The median duration of a round. Not the fastest: two threads that happen never to meet are
  /// luck.
  package var median: Double { rounds.median }

  /// The median ratio of the times of one round: a temporary slowdown of the machine affects both
  /// sides.
  package func ratio(to other: ShapeMeasurement) -> Double {
    zip(rounds, other.rounds).map { $0 / $1 }.median
  }
}

/// One shape of work, done by several libraries.
package struct Shape {
  package let name: String
  /// The number of units (promises, links, inputs) in one run.
  let units: Int
  /// The largest allowed ratio of the judged contestant to the fastest peer.
  package var bar: Double?
  /// The number of timed runs of each contestant, after two runs that are not timed.
  package var rounds = 25
  package var contestants: [Contestant]

  /// Runs the contestants in turn, round after round, so that a drifting machine affects all of
  /// them. Every other round runs backwards, so that no contestant always follows the same
  /// neighbour.
  package func measure() -> [ShapeMeasurement] {
    var measurements = contestants.map { ShapeMeasurement(contestant: $0) }
    // The first run warms up, the second one counts.
    for index in contestants.indices {
      contestants[index].run()
      measurements[index].allocations = countAllocations(contestants[index])
    }
    let clock = ContinuousClock()
    for round in 0..<rounds {
      let order = Array(contestants.indices)
      for index in round.isMultiple(of: 2) ? order : order.reversed() {
        let duration = clock.measure { contestants[index].run() }
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        measurements[index].rounds.append(nanoseconds / Double(units))
      }
    }
    return measurements
  }

  private func countAllocations(_ contestant: Contestant) -> Double? {
    allocations_start()
    contestant.run()
    let count = allocations_stop()
    return count < 0 ? nil : Double(count) / Double(units)
  }
}

extension [Double] {
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
