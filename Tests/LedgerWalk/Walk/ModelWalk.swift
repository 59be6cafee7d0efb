package import LedgerOracle

/// A walk through the commands of a ledger by a seed, in lives: each begins with a new ledger.
package struct ModelWalk<Subject: WalkSubject> {
  /// The figures of a walk.
  package struct Figures: Sendable {
    package var stepCount = 0
    package var lifeCount = 0
    /// The different operations, each with its answer and the state that it met.
    package var triples: Set<UInt64> = []
    /// The step at which the newest triple was seen.
    package var newestTriple = 0
    package var failure: WalkFailure?
  }

  private let seed: UInt64
  private let lifeLength: Int
  private let make: () throws -> Subject
  private var figures = Figures()

  /// - Parameters:
  ///   - lifeLength: The number of commands after which a new ledger is begun.
  ///   - make: Makes a new ledger.
  package init(seed: UInt64, lifeLength: Int = 120, _ make: @escaping () throws -> Subject) {
    (self.seed, self.lifeLength, self.make) = (seed, lifeLength, make)
  }

  /// Walks until a failure, or until no new triple was seen for a number of steps.
  ///
  /// - Parameters:
  ///   - minimum: The number of steps to make in any case.
  ///   - plateau: The number of steps without a new triple after which the walk ends.
  ///   - maximum: The number of steps after which it ends in any case.
  package mutating func run(
    atLeast minimum: Int, plateau: Int, atMost maximum: Int
  ) throws -> Figures {
    while figures.failure == nil, figures.stepCount < maximum,
      figures.stepCount < minimum || figures.stepCount - figures.newestTriple < plateau
    {
      try live(seed &+ UInt64(figures.lifeCount) &* 0x9E37_79B9)
    }
    return figures
  }

  /// Lives one life, and shortens the list of its commands if it fails.
  private mutating func live(_ seed: UInt64) throws {
    var trial = WalkTrial(try make())
    var generator = WalkGenerator(seed: seed)
    var steps: [OracleStep] = []
    figures.lifeCount += 1
    for _ in 0..<lifeLength {
      let step = generator.next(trial.oracle)
      steps.append(step)
      let problem = trial.run(step)
      figures.stepCount += 1
      for triple in trial.triples where figures.triples.insert(triple).inserted {
        figures.newestTriple = figures.stepCount
      }
      guard let problem else { continue }
      return fail(seed, steps, problem)
    }
    if let problem = trial.end() { fail(seed, steps, problem) }
  }

  private mutating func fail(_ seed: UInt64, _ steps: [OracleStep], _ problem: String) {
    let (shortest, last) = Self.shrink(steps, make)
    figures.failure = WalkFailure(
      seed: seed, steps: shortest, problem: last ?? problem, stepCount: steps.count)
  }
}

// MARK: - Replaying and shrinking

extension ModelWalk {
  /// Carries out a list of commands on a new ledger.
  ///
  /// - Returns: The problem at which it ends, if there is one.
  package static func replay(
    _ steps: [OracleStep], _ make: () throws -> Subject
  ) -> String? {
    do {
      var trial = WalkTrial(try make())
      for step in steps {
        if let problem = trial.run(step) { return problem }
      }
      return trial.end()
    } catch {
      return "\(error)"
    }
  }

  /// The maximum number of lists that are tried to find a shorter one.
  private static var maximumTrialCount: Int { 3_000 }

  /// Leaves commands out as long as the rest still fails.
  package static func shrink(
    _ steps: [OracleStep], _ make: () throws -> Subject
  ) -> (steps: [OracleStep], problem: String?) {
    var (shortest, problem) = (steps, nil as String?)
    var trialCount = 0
    var length = max(1, steps.count / 2)
    while trialCount < maximumTrialCount {
      var start = 0
      var isShorter = false
      while start < shortest.count, trialCount < maximumTrialCount {
        var rest = shortest
        rest.removeSubrange(start..<min(start + length, shortest.count))
        trialCount += 1
        if let found = replay(rest, make) {
          (shortest, problem, isShorter) = (rest, found, true)
        } else {
          start += length
        }
      }
      if length == 1, !isShorter { break }
      length = max(1, length / 2)
    }
    return (shortest, problem)
  }
}
