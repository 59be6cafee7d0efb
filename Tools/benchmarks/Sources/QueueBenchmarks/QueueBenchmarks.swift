import Foundation

/// Compares work of a ledger with a queue of jobs that is written by hand on SQLite.
///
/// `swift run -c release QueueBenchmarks [rounds=count]`
///
/// All contestants take turns in one run, on files of one directory, and sync each commit.
@main
enum QueueBenchmarks {
  static func main() async throws {
    let rounds = CommandLine.arguments.lazy.filter { $0.hasPrefix("rounds=") }
      .compactMap { Int($0.dropFirst(7)) }.first
    let directory = FileManager.default.currentDirectoryPath + "/.build/queue-\(UUID())"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let ledger = try await LedgerQueue(at: directory + "/ledger")
    let sqlite = try SQLiteQueue(at: directory + "/jobs.sqlite")
    let contestants = [
      Contestant("ledger, one after the other") { try await ledger.run(tasks: 1, for: $0) },
      Contestant("SQLite, one job a transaction") { try sqlite.run(batchesOf: 1, for: $0) },
      Contestant("ledger, 64 in flight") { try await ledger.run(tasks: 64, for: $0) },
      Contestant("SQLite, 64 jobs a transaction") { try sqlite.run(batchesOf: 64, for: $0) },
      Contestant("ledger, 512 in flight") { try await ledger.run(tasks: 512, for: $0) },
      Contestant("SQLite, 512 jobs a transaction") { try sqlite.run(batchesOf: 512, for: $0) },
    ]
    let measurements = try await Contestant.measure(contestants, rounds: rounds ?? 7)
    try await ledger.close()
    for (contestant, measurement) in zip(contestants, measurements) {
      print(contestant.line(measurement))
    }
    print("\nthe ledger, times SQLite (median of the rounds):")
    for index in stride(from: 0, to: contestants.count, by: 2) {
      let ratio = measurements[index].ratio(to: measurements[index + 1])
      print("  \(contestants[index].name): \(String(format: "%.2f", ratio))")
    }
  }
}
