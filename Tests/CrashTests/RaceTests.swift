import LedgerHistories
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  @Suite(.timeLimit(.minutes(10)))
  struct RaceTests {
    private static let promiseCount = 1_000
    private static let tasksPerProcess = 8

    @Test(.timeLimit(.minutes(2)))
    func racingResolvesOfTwoProcessesAllSeeTheFirst() async throws {
      let temporary = try TemporaryLedger()
      let app = try await temporary.open()
      try await withThrowingTaskGroup { group in
        for number in 0..<Self.promiseCount {
          group.addTask {
            _ = try await app.createPromise(key: PromiseKey("race/\(number)"), of: String.self)
          }
        }
        try await group.waitForAll()
      }
      let workers = try ["one", "two"].map {
        try WorkerProcess([
          "race", temporary.path, $0, "\(Self.promiseCount)", "\(Self.tasksPerProcess)",
        ])
      }
      for worker in workers { #expect(await worker.nextLine()?.hasPrefix("opened") == true) }
      for worker in workers { try worker.send("go") }
      var answers: [Answer] = []
      for worker in workers {
        let lines = await worker.rest()
        #expect(lines.last == "done", "worker \(worker.processID)")
        answers += lines.compactMap(Answer.init)
      }
      await app.close()

      #expect(answers.count == Self.promiseCount * Self.tasksPerProcess * workers.count)
      let byPromise = Dictionary(grouping: answers, by: \.promise)
      #expect(byPromise.count == Self.promiseCount)
      let wrong = byPromise.values.filter { answers in
        let winners = answers.filter(\.hasWon)
        return winners.count != 1 || winners[0].stored != winners[0].own
          || Set(answers.map(\.stored)).count != 1
      }
      #expect(wrong.isEmpty)
      let winners = Set(answers.filter(\.hasWon).map { $0.own.prefix(3) })
      print("races won by: \(winners)")
      let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
      #expect(audit.findings(acknowledged: []).isEmpty)
      #expect(audit.count(of: .promiseResolved) == Self.promiseCount)
    }

    /// The ledger's answer to one task about one promise.
    private struct Answer {
      let hasWon: Bool
      let promise: String
      let stored: String
      let own: String

      init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, words[0] == "W" || words[0] == "L" else { return nil }
        (hasWon, promise, stored, own) = (words[0] == "W", words[1], words[2], words[3])
      }
    }
  }
}
