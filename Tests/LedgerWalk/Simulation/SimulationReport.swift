/// The figures of many simulations, for people.
package struct SimulationReport: Sendable {
  /// The number of steps in one simulation.
  package static let stepCount = 300

  package private(set) var figures = Simulation.Figures()
  package private(set) var runCount = 0
  private let seed: UInt64
  package private(set) var problem: String?

  /// Simulates until a number of commits was made, or there is a problem.
  package init(seed: UInt64, commitCount: Int) {
    self.seed = seed
    while problem == nil, figures.commitCount < commitCount {
      let seed = seed &+ UInt64(runCount)
      let run = Simulation(seed: seed).run(stepCount: Self.stepCount)
      runCount += 1
      figures.add(run)
      problem = run.problem.map { "seed \(seed): \($0)" }
    }
  }

  package var line: String {
    let text =
      "simulation: \(figures.commitCount) commits in \(runCount) runs, \(figures.deathCount) deaths, \(figures.stallCount) stalled writers, \(figures.repeatedDecisionCount) repeated decisions, \(figures.lostBellCount) lost doorbells, \(figures.clockJumpCount) clock jumps, \(figures.foldCount) folds, \(figures.removedRecordCount) records removed in \(figures.removalCount) removals, \(figures.deletedEventCount) events deleted, digest \(String(figures.digest, radix: 16)), seed \(seed)"
    return problem.map { "\(text), 1 violation\n\($0)" } ?? "\(text), 0 violations"
  }
}

extension Simulation.Figures {
  fileprivate mutating func add(_ run: Self) {
    commitCount += run.commitCount
    deathCount += run.deathCount
    stallCount += run.stallCount
    repeatedDecisionCount += run.repeatedDecisionCount
    lostBellCount += run.lostBellCount
    clockJumpCount += run.clockJumpCount
    foldCount += run.foldCount
    removalCount += run.removalCount
    removedRecordCount += run.removedRecordCount
    deletedEventCount += run.deletedEventCount
    digest = (digest ^ run.digest) &* 0x0000_0100_0000_01B3
  }
}
