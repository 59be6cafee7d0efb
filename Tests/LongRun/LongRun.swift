import LedgerWalk

@main
struct LongRun {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    let seed = words.first.flatMap { UInt64($0) } ?? 1
    let count = words.dropFirst().first.flatMap { Int($0) } ?? 20_000
    func go<S: WalkSubject>(_ name: String, _ make: @escaping () throws -> S) throws {
      var walk = ModelWalk(seed: seed, make)
      let start = ContinuousClock.now
      let figures = try walk.run(atLeast: count, plateau: count, atMost: count)
      print(name, figures.failure?.description ?? "ok", figures.stepCount, figures.triples.count, ContinuousClock.now - start)
    }
    try go("pure") { PureSubject() }
    try go("memory") { try WalkStores.inMemory(.oneProcess) }
    try go("two") { try WalkStores.inMemory(.twoProcesses) }
    try go("folded") { try WalkStores.inMemory(.folded) }
    try go("reopened") { try WalkStores.inMemory(.reopened) }
    try go("lmdb") { try WalkStores.lmdb(.oneProcess) }
  }
}
