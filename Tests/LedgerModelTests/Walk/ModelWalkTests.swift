import LedgerModel
import LedgerOracle
import LedgerTestSupport
import LedgerWalk
import Testing

/// A walk through all commands on a state in memory: every answer, event and record is that of the
/// oracle, which was written apart from the library.
@Suite(.timeLimit(.minutes(10))) struct ModelWalkTests {
  @Test func everyCommandIsAnsweredByTheRules() throws {
    let report = try WalkKind.memory.walk(
      seed: TestAmount.seed(1), stepCount: TestAmount.of(20_000))
    print(report.line)
    #expect(report.problem == nil)
    #expect(report.tripleCount > 1_000)
  }

  @Test func aWalkGoesOnUntilNothingNewIsSeen() throws {
    let kind = WalkKind.memory
    let report = try kind.walk(seed: 2, stepCount: 240, plateau: 360, atMost: 100_000)
    #expect(report.problem == nil)
    #expect(report.isAtPlateau)
    #expect((360..<480).contains(report.stepCount - report.newestTriple))
    #expect(report.stepCount > 240 && report.stepCount < 100_000)
    #expect(report.line.contains("\(report.newestTriple), a plateau), seed 2"))
    // The same seed gives the same figures.
    let other = try kind.walk(seed: 2, stepCount: 240, plateau: 360, atMost: 100_000)
    #expect(other.line == report.line)
  }

  @Test func aWalkThatReachesNoPlateauEndsAtItsMaximum() throws {
    let report = try WalkKind.memory.walk(seed: 2, stepCount: 240, plateau: 360, atMost: 480)
    #expect(report.stepCount == 480 && !report.isAtPlateau)
    #expect(report.line.contains("\(report.newestTriple), no plateau), seed 2"))
    let short = try WalkKind.memory.walk(seed: 2, stepCount: 240)
    #expect(short.stepCount == 240 && !short.isAtPlateau)
    #expect(short.line.contains("\(short.newestTriple)), seed 2"))
  }

  /// A state that gives one wrong answer: it says that abandoned promises are unknown.
  private struct LyingSubject: WalkSubject {
    static let mode = PureSubject.mode
    let foldsAlways = false
    private var subject = PureSubject()

    mutating func run(
      _ step: OracleStep, _ oracle: Oracle
    ) throws -> (answer: Oracle.Answer, facts: [Oracle.Fact]) {
      var (answer, facts) = try subject.run(step, oracle)
      if case .resolve = step.command, answer == .abandoned { answer = .notFound }
      return (answer, facts)
    }

    mutating func look<R: Sendable>(_ body: (LedgerState) throws -> R) throws -> R {
      try subject.look(body)
    }

    mutating func end() throws -> String? { try subject.end() }
  }

  @Test func aWrongAnswerIsFoundAndItsHistoryIsShortened() throws {
    var walk = ModelWalk(seed: 3) { LyingSubject() }
    let figures = try walk.run(atLeast: 20_000, plateau: 0, atMost: 20_000)
    let failure = try #require(figures.failure)
    #expect(failure.problem == "The answer is notFound, and must be abandoned.")
    // A creation, an abandonment and a resolution; perhaps a session, without which none may happen.
    #expect(failure.steps.count <= 4)
    #expect(failure.steps.count < failure.stepCount)

    let printed = try WalkFailure.steps(in: "\(failure)")
    #expect(printed == failure.steps)
    #expect(ModelWalk.replay(printed) { LyingSubject() } == failure.problem)
    #expect(ModelWalk.replay(printed) { PureSubject() } == nil)
  }
}
