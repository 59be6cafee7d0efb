import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CrashTests {
  /// A process that is killed at any point of a compaction loses nothing, and the next one
  /// continues.
  @Suite(.timeLimit(.minutes(10)))
  struct CompactionKillTests {
    @Test(.timeLimit(.minutes(10)))
    func aCompactionThatIsKilledAtAnyPointIsGoneOnWith() async throws {
      let trial = try await CompactionTrial()
      let points = trial.points(["before", "between", "after"])
      print("a compaction is killed at \(points.count) points")
      for point in points { try await trial.run(point, endsWith: .signalled(SIGKILL)) }
    }

    @Test(.timeLimit(.minutes(2)))
    func deletingEventsBeforeTheirRecordsAreDurableIsNoticed() async throws {
      let history = try await CompactionHistory()
      // Without a kill the test would notice nothing.
      let copy = try history.copy()
      let ledger = try await copy.open()
      let before = try await copy.answers(of: ledger)
      let flags = ["deletes-before-folding"]
      _ = try await CompactionTrial.compact(copy, .none, endsWith: .exited(0), flags: flags)
      try await copy.check(ledger, against: before, "undisturbed")
      await ledger.close()

      let other = try history.copy()
      let survivor = try await other.open()
      _ = try await CompactionTrial.compact(
        other, .init(name: "before", number: 2), endsWith: .signalled(SIGKILL), flags: flags)
      // It replayed the events while they were there. Now there are neither events nor records.
      await survivor.close()
      var isNoticed = false
      _ = try BlockingInspector(at: other.temporary.path).verify { _ in isNoticed = true }
      #expect(isNoticed)
    }
  }
}
