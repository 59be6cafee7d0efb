import LedgerSystem
import LedgerWorkerSupport
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
  /// A process that is killed at any point of a compaction loses nothing, and the next one goes on.
  struct CompactionKillTests {
    /// Where a compaction is killed: around its commits and between its steps.
    private struct Point: CustomStringConvertible {
      let name: String
      let number: Int
      var description: String { "\(name) \(number)" }
    }

    @Test(.timeLimit(.minutes(10)))
    func aCompactionThatIsKilledAtAnyPointIsGoneOnWith() async throws {
      let history = try await CompactionHistory()
      let (points, expected) = try await compactUndisturbed(history)
      print("a compaction is killed at \(points.count) points")
      for point in points {
        let answers = try await killAndGoOn(history, point)
        #expect(answers == expected, "killed \(point)")
      }
    }

    /// Compacts in a process that nobody kills.
    ///
    /// - Returns: Where it can be killed, and what the ledger answers afterwards.
    private func compactUndisturbed(
      _ history: CompactionHistory
    ) async throws -> ([Point], CompactionCopy.Answers) {
      let copy = try history.copy()
      let ledger = try await copy.open()
      let before = try await copy.answers(of: ledger)
      let lines = try await compact(copy, Point(name: "none", number: 0), endsWith: .exited(0))
      var counts: [String: Int] = [:]
      for words in lines.map({ $0.split(separator: " ") }) where words.count == 2 {
        counts[String(words[0])] = Int(words[1])
      }
      // No commit is without a point before it and one after it.
      let count = try #require(counts["commits"])
      #expect(counts["before"] == count && counts["after"] == count, "\(lines)")
      #expect(count > 8, "\(lines)")
      let points = ["before", "between", "after"].flatMap { name in
        (1...max(1, counts[name] ?? 0)).map { Point(name: name, number: $0) }
      }
      return (points, try await finish(copy, ledger, before, "undisturbed"))
    }

    private func killAndGoOn(
      _ history: CompactionHistory, _ point: Point
    ) async throws -> CompactionCopy.Answers {
      let copy = try history.copy()
      // Open while the other one is killed: so its locks are recovered.
      let ledger = try await copy.open()
      let before = try await copy.answers(of: ledger)
      _ = try await compact(copy, point, endsWith: .signalled(SIGKILL))
      return try await finish(copy, ledger, before, "killed \(point)")
    }

    private func compact(
      _ copy: CompactionCopy, _ point: Point, endsWith ending: ChildProcess.Ending,
      flags: [String] = []
    ) async throws -> [String] {
      let worker = try WorkerProcess(
        ["compact", copy.temporary.path, copy.archives, point.name, "\(point.number)"] + flags)
      let lines = await worker.rest()
      #expect(await worker.end() == ending, "\(point): \(lines)")
      return lines
    }

    /// Goes on with the compaction, and checks everything before and after it and when reopened.
    private func finish(
      _ copy: CompactionCopy, _ ledger: Ledger, _ before: CompactionCopy.Answers,
      _ comment: Comment
    ) async throws -> CompactionCopy.Answers {
      try await copy.check(ledger, against: before, comment)
      let report = try await ledger.compact(.everything(archivedIn: copy.archives))
      #expect(report.problem == nil, comment)
      try await copy.check(ledger, against: before, comment)
      let answers = try await copy.answers(of: ledger)
      await ledger.close()
      let again = try await copy.open()
      #expect(try await copy.answers(of: again) == answers, comment)
      await again.close()
      try Self.expectWholeHistory(of: copy, comment)
      return answers
    }

    private static func expectWholeHistory(of copy: CompactionCopy, _ comment: Comment) throws {
      _ = try WholeHistory(of: copy.temporary, archives: copy.archives, comment)
    }

    @Test func deletingEventsBeforeTheirRecordsAreDurableIsNoticed() async throws {
      let history = try await CompactionHistory()
      // Without a kill nothing would be noticed.
      let copy = try history.copy()
      let ledger = try await copy.open()
      let before = try await copy.answers(of: ledger)
      let flags = ["deletes-before-folding"]
      _ = try await compact(
        copy, Point(name: "none", number: 0), endsWith: .exited(0), flags: flags)
      try await copy.check(ledger, against: before, "undisturbed")
      await ledger.close()
      let other = try history.copy()
      let survivor = try await other.open()
      _ = try await compact(
        other, Point(name: "before", number: 2), endsWith: .signalled(SIGKILL), flags: flags)
      // It replayed the events while they were there; whoever opens the ledger now cannot.
      await survivor.close()
      let again = try await other.open()
      let after = try await other.answers(of: again)
      #expect(after.promises.contains(nil) && after.unconsumed != before.unconsumed)
      await again.close()
    }
  }
}
