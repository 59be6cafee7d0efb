import LedgerTestSupport
import LedgerWalk
import Testing

/// Processes on one ledger, interleaved by a seed: what they are told is what the oracle says, in the
/// order of their commits, and the log keeps its rules.
@Suite(.timeLimit(.minutes(10))) struct SimulationTests {
  @Test func noInterleavingBreaksARule() {
    let report = SimulationReport(
      seed: TestAmount.seed(1), commitCount: TestAmount.of(1_500))
    print(report.line)
    #expect(report.problem == nil)
    let figures = report.figures
    #expect(figures.deathCount > 50)
    #expect(figures.stallCount > 50)
    #expect(figures.repeatedDecisionCount > 25)
    #expect(figures.lostBellCount > 50)
    #expect(figures.clockJumpCount > 25)
    #expect(figures.foldCount > 25)
    #expect(figures.removalCount > 10 && figures.removedRecordCount > 50)
    #expect(figures.deletedEventCount > 250)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func equalSeedsMakeEqualRuns(seed: UInt64) {
    let runs = (0..<2).map { _ in Simulation(seed: seed).run(stepCount: 200) }
    #expect(runs[0] == runs[1])
    #expect(runs[0].commitCount > 50)
    #expect(Simulation(seed: seed + 100).run(stepCount: 200).digest != runs[0].digest)
  }

  /// What depends on the order of a dictionary differs there: each process hashes by a seed of its own.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func anotherProcessMakesTheSameLog(seed: UInt64) async {
    let digest = Simulation(seed: seed).run(stepCount: 300).digest
    let hash = "a text".hashValue
    await #expect(processExitsWith: .success) {
      [seed = seed as UInt64, digest = digest as UInt64, hash = hash as Int] in
      #expect("a text".hashValue != hash, "The processes hash by the same seed.")
      #expect(Simulation(seed: seed).run(stepCount: 300).digest == digest)
    }
  }

  @Test(arguments: Simulation.Bug.allCases)
  func aBugIsFound(bug: Simulation.Bug) {
    let seed = (1...80 as ClosedRange<UInt64>).first { seed in
      Simulation(seed: seed, bug: bug).run(stepCount: 300).problem != nil
    }
    #expect(seed != nil, "\(bug)")
  }
}
