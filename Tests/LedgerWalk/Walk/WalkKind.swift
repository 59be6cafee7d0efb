package import LedgerOracle

/// A ledger that is walked on.
package enum WalkKind: String, CaseIterable, Sendable {
  /// A state in memory, without a store.
  case memory
  /// A session on LMDB.
  case lmdb
  /// Sessions of two processes on LMDB, in turns.
  case twoProcesses = "two-processes"
  /// A session on LMDB that is closed and opened again before each command.
  case reopened
  /// A session on LMDB, of which everything is folded into the snapshot after each command.
  case folded

  /// The number of steps that take about ten seconds with optimization.
  package var usualStepCount: Int {
    switch self {
    case .memory: 100_000
    case .lmdb, .twoProcesses: 10_000
    case .reopened, .folded: 4_000
    }
  }

  /// Makes a walk.
  ///
  /// - Parameter plateau: The number of steps without anything new after which it ends; by default it
  ///   ends after the number of steps.
  package func walk(seed: UInt64, stepCount: Int, plateau: Int = 0) throws -> WalkReport {
    switch self {
    case .memory: try report(seed, stepCount, plateau) { PureSubject() }
    default: try report(seed, stepCount, plateau) { try WalkStores.lmdb(form) }
    }
  }

  /// Carries out commands on a new ledger.
  ///
  /// - Returns: The problem at which it ends.
  package func replay(_ steps: [OracleStep]) -> String? {
    self == .memory
      ? ModelWalk.replay(steps) { PureSubject() }
      : ModelWalk.replay(steps) { try WalkStores.lmdb(form) }
  }

  private var form: StoreSubject.Form {
    switch self {
    case .memory, .lmdb: .oneProcess
    case .twoProcesses: .twoProcesses
    case .reopened: .reopened
    case .folded: .folded
    }
  }

  private func report<Subject: WalkSubject>(
    _ seed: UInt64, _ stepCount: Int, _ plateau: Int, _ make: @escaping () throws -> Subject
  ) throws -> WalkReport {
    var walk = ModelWalk(seed: seed, make)
    let figures = try walk.run(
      atLeast: stepCount, plateau: plateau, atMost: max(stepCount, 10 * plateau))
    return WalkReport(
      kind: self, seed: seed, stepCount: figures.stepCount, ledgerCount: figures.lifeCount,
      tripleCount: figures.triples.count, newestTriple: figures.newestTriple,
      problem: figures.failure.map { "\($0)" })
  }
}

/// The figures of a walk, for people.
package struct WalkReport: Sendable {
  package let kind: WalkKind
  package let seed: UInt64
  package let stepCount: Int
  package let ledgerCount: Int
  package let tripleCount: Int
  /// The step at which the newest triple was seen.
  package let newestTriple: Int
  package let problem: String?

  package var line: String {
    let figures =
      "model walk, \(kind.rawValue): \(stepCount) steps on \(ledgerCount) ledgers, \(tripleCount) triples (the last at step \(newestTriple)), seed \(seed)"
    return problem.map { "\(figures), 1 violation\n\($0)" } ?? "\(figures), 0 violations"
  }
}
