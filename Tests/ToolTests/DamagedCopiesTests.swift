import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The tool on copies of a ledger whose file was damaged: it ends, by itself, with an exit code that
/// tells the truth.
struct DamagedCopiesTests {
  private static let copyCount = 500
  private static let verbs = [
    "verify", "log", "stats", "promises", "digest", "export",
  ]

  @Test func toolSurvives500DamagedCopies() async throws {
    let sample = try await SampleLedger()
    let healthy = try Dictionary(
      uniqueKeysWithValues: Self.verbs.map { ($0, try CommandRun($0, sample.path).output) })
    let original = try Data(contentsOf: URL(fileURLWithPath: sample.path + Self.file))
    let outcomes = await withTaskGroup(of: [String].self) { group in
      for worker in 0..<2 {
        group.addTask {
          await Self.onThread {
            stride(from: worker, to: Self.copyCount, by: 2).flatMap { seed in
              Self.problems(seed: seed, sample.path, original, healthy)
            }
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(outcomes == [])
  }

  private static let file = "/generation-000001/data.mdb"

  /// What is wrong with a run on the copy that belongs to a seed.
  private static func problems(
    seed: Int, _ path: String, _ original: Data, _ healthy: [String: String]
  ) -> [String] {
    let verb = verbs[seed % verbs.count]
    do {
      let copy = try TemporaryLedger()
      try FileManager.default.copyItem(atPath: path, toPath: copy.path)
      let what = try damage(copy.path + file, original, seed: UInt64(seed))
      let run = try CommandRun(verb, copy.path, "--timeout", "5")
      let isTrue =
        switch run.status {
        // What was damaged is not used any more, or was not read by this verb.
        case 0: run.output == healthy[verb] || verb == "stats" || verb == "verify"
        case 1, 3, 5, 6: run.notes.hasPrefix("promise-ledger: ")
        default: false
        }
      return isTrue ? [] : ["\(verb) with \(what): \(run.status) \(run.notes)"]
    } catch {
      return ["\(verb) with seed \(seed): \(error)"]
    }
  }

  /// Turns bits over, overwrites a stretch, or cuts the file.
  private static func damage(_ path: String, _ original: Data, seed: UInt64) throws -> String {
    var generator = SeededGenerator(seed: seed)
    var bytes = original
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    let what: String
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      bytes = bytes.prefix(place)
      what = "cut to \(place)"
    case 1:
      for index in place..<min(place + 8, bytes.count) {
        bytes[index] = UInt8.random(in: 0 ... .max, using: &generator)
      }
      what = "8 random bytes at \(place)"
    default:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      what = "a bit turned at \(place)"
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    return "seed \(seed), \(what)"
  }

  /// Runs what blocks outside of Swift's few threads.
  private static func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
