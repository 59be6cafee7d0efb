package import LedgerOracle

/// A ledger that is walked on.
package enum WalkKind: String, CaseIterable, Sendable {
  /// A state in memory, without a store.
  case memory
  /// A session on LMDB.
  case lmdb
  /// Sessions of two views of one ledger on LMDB, which take turns in one process.
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
  /// - Parameters:
  ///   - stepCount: The number of steps to make in any case.
  ///   - plateau: The number of steps without a new triple after which it then ends; by default it ends at once.
  ///   - maximum: The number of steps after which it ends in any case; by default `stepCount`.
  package func walk(
    seed: UInt64, stepCount: Int, plateau: Int = 0, atMost maximum: Int? = nil
  ) throws -> WalkReport {
    let length = (stepCount, plateau, max(stepCount, maximum ?? stepCount))
    return switch self {
    case .memory: try report(seed, length) { PureSubject() }
    default: try report(seed, length) { try WalkStores.lmdb(form) }
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
    _ seed: UInt64, _ length: (minimum: Int, plateau: Int, maximum: Int),
    _ make: @escaping () throws -> Subject
  ) throws -> WalkReport {
    var walk = ModelWalk(seed: seed, make)
    let figures = try walk.run(
      atLeast: length.minimum, plateau: length.plateau, atMost: length.maximum)
    return WalkReport(
      kind: self, seed: seed, stepCount: figures.stepCount, ledgerCount: figures.lifeCount,
      tripleCount: figures.triples.count, newestTriple: figures.newestTriple,
      plateau: length.plateau, problem: figures.failure.map { "\($0)" })
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
  /// The number of steps without a new triple that it was to end with; 0 if it was to end without.
  package let plateau: Int
  package let problem: String?

  /// Whether it ended with as many steps without a new triple as it was to.
  package var isAtPlateau: Bool { plateau > 0 && stepCount - newestTriple >= plateau }

  package var line: String {
    let end = plateau == 0 ? "" : isAtPlateau ? ", a plateau" : ", no plateau"
    let figures =
      "model walk, \(kind.rawValue): \(stepCount) steps on \(ledgerCount) ledgers, \(tripleCount) triples (the last at step \(newestTriple)\(end)), seed \(seed)"
    return problem.map { "\(figures), 1 violation\n\($0)" } ?? "\(figures), 0 violations"
  }
}
