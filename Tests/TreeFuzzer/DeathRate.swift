/// How often LMDB ended a process of a sort.
struct DeathRate: CustomStringConvertible {
  let name: String
  let deaths: Int
  let runs: Int

  /// One run in this many may end so: without the check of the pages it is one in a few hundred.
  private static let runsPerDeath = 1_000

  /// A single one is none too many, however few runs there are.
  var isTooHigh: Bool { deaths > 1 && deaths * Self.runsPerDeath > runs }

  var description: String {
    let tooHigh = isTooHigh ? ": more than 1 of \(Self.runsPerDeath)" : ""
    return "\(name): \(deaths) of \(runs) (\(percentage))\(tooHigh)"
  }

  private var percentage: String {
    let hundredths = runs == 0 ? 0 : (deaths * 10_000 + runs / 2) / runs
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) %"
  }
}
