/// From the call that resolves a promise in one process to the waiting task in another, the durable commit included.
struct HandOverComparison {
  private static let name = "resolved here, seen there"

  let mode: Mode
  let table: Table

  func run() async throws {
    let place = try Place()
    var pairs: [(entry: HandOverEntry, contestant: any HandOverContestant, peer: Peer)] = []
    for entry in HandOverEntry.allCases {
      let directory = try place.directory("\(entry)")
      let contestant = try await entry.open(at: directory)
      pairs.append((entry, contestant, try Peer(["hand-over", entry.rawValue, directory])))
    }
    var delays: [HandOverEntry: [Double]] = [:]
    for _ in 0..<mode.handOverCount {
      for pair in pairs {
        delays[pair.entry, default: []].append(try await delay(pair.contestant, pair.peer))
      }
    }
    for pair in pairs {
      pair.peer.end()
      await pair.contestant.close()
    }
    guard let ledger = delays[.ledger]?.median else { return }
    for entry in HandOverEntry.allCases {
      guard let these = delays[entry] else { continue }
      table.add(
        Self.name, entry.rawValue, Table.text(microseconds: these.median), latencies: these,
        rounds: these, ratio: entry == .ledger ? nil : ledger / these.median)
    }
  }

  private func delay(_ contestant: any HandOverContestant, _ peer: Peer) async throws -> Double {
    let name = try await contestant.make()
    peer.send(name)
    try peer.waitForLine()
    // At any moment of the pause of one that polls.
    try await Task.sleep(for: .microseconds(Int.random(in: 10_000...25_000)))
    let start = monotonicNanoseconds()
    try await contestant.resolve(name)
    guard let seen = UInt64(try peer.waitForLine()) else { throw UnexpectedEnd() }
    return Double(Int64(seen) - Int64(start)) / 1_000
  }

  /// The process that waits.
  static func runPeer(_ arguments: [String]) async throws {
    guard arguments.count == 2, let entry = HandOverEntry(rawValue: arguments[0]) else {
      throw UnexpectedEnd()
    }
    let contestant = try await entry.open(at: arguments[1])
    while let name = readLine() {
      async let end: Void = contestant.wait(for: name)
      Peer.say("waiting")
      try await end
      Peer.say("\(monotonicNanoseconds())")
    }
    await contestant.close()
  }
}
