/// The time that one way of doing a shape took, in nanoseconds for each unit of work, round by round.
struct Measurement {
  let name: String
  var rounds: [Double] = []

  /// The fastest round: everything else is somebody else's noise.
  var best: Double { rounds.min() ?? .nan }
}

/// One shape of work, done by several libraries.
struct Shape {
  let name: String
  /// How many units (promises, links, inputs) one run does.
  let units: Int
  var contestants: [(name: String, run: () -> Void)]

  /// Runs the contestants in turn, round after round, so that drifting machines drift for all.
  func measure(rounds: Int) -> [Measurement] {
    let clock = ContinuousClock()
    var measurements = contestants.map { Measurement(name: $0.name) }
    for round in 0...rounds {
      for (index, contestant) in contestants.enumerated() {
        let duration = clock.measure { contestant.run() }
        guard round > 0 else { continue }  // The first one warms up.
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        measurements[index].rounds.append(nanoseconds / Double(units))
      }
    }
    return measurements
  }
}
