import LedgerModel
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerTestSupport
import Testing

/// Four processes append events while everything around them fails: nothing acknowledged is lost, doubled or moved.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct AppendLoadTests {
  @Test func nothingAcknowledgedIsLostOnAServerThatCrashes() async throws {
    let report = try await AppendLoad(
      "faults", seed: .random(in: 0...999_999), eventCount: TestAmount.of(4_000),
      faultCount: TestAmount.of(2), maximumBatch: 40
    ).run(on: ServerStage(writerCount: AppendLoad.writerCount))
    print(report.line)
    #expect(report.problems == [])
    // Otherwise the test shows nothing.
    #expect(report.judgementCount > 0)
    #expect(report.faults.count == 4)
  }
}

/// A primary that dies under load.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct FailoverTests {
  @Test func nothingAcknowledgedIsLostWhenAStandbyIsPromoted() async throws {
    let report = try await AppendLoad(
      "failover", seed: .random(in: 0...999_999), eventCount: TestAmount.of(2_000),
      faultCount: TestAmount.of(1), maximumBatch: 40
    ).run(on: ClusterStage())
    print(report.line)
    #expect(report.problems == [])
    #expect(report.faults["promoted standbys"] == TestAmount.of(1))
  }
}

/// The comparison of what writers were told with the log.
@Suite(.timeLimit(.minutes(10)))
struct CommitAuditTests {
  private static let session = SessionID(entityID: EntityID(high: 1, low: 1))
  private static let lines = [
    "tries 1 2", "acknowledged 1 2", "tries 2 1", "refused 2", "tries 3 2", "unknown 3",
    "tries 4 1", "acknowledged 4 5", "tries 5 3",
  ]

  /// The numbers of the commits of all events.
  private static func problems(_ log: [UInt64], _ lines: [String] = lines) -> [String] {
    var audit = CommitAudit()
    for line in lines {
      let isKnown = audit.note(line, of: session)
      #expect(isKnown, "\(line)")
    }
    let commits = log.enumerated().map { index, number in
      (Position(rawValue: UInt64(index) + 1), CommitID(session: session, number: number))
    }
    return audit.problems(in: Dictionary(uniqueKeysWithValues: commits))
  }

  @Test func aLogAsTheWritersWereToldIsRight() {
    #expect(Self.problems([1, 1, 3, 3, 4]) == [])
    #expect(Self.problems([1, 1, 3, 3, 4, 5, 5, 5]) == [])
    #expect(Self.problems([1, 1], Array(Self.lines.prefix(6))) == [])
  }

  @Test(arguments: [
    ([1, 1, 3, 3], "is lost"), ([1, 1, 4, 3, 3], "acknowledged up to 5"),
    ([1, 1, 3, 3, 4, 1, 1], "has 4 in the log"), ([1, 1, 2, 3, 3, 4], "was refused"),
    ([1, 1, 3, 4], "has 1 in the log"), ([1, 1, 3, 3, 4, 9], "no writer"),
    ([1, 3, 1, 3, 4], "has 2 in the log, from"),
    ([1, 1, 3, 3, 4, 5, 5], "has 2 in the log"),
  ])
  func anythingElseIsAProblem(log: [UInt64], problem: String) {
    let problems = Self.problems(log)
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test func aLineThatMakesNoSenseIsRefused() {
    var audit = CommitAudit()
    for line in ["", "tries 1", "acknowledged 1 2", "refused 7", "error what"] {
      let isKnown = audit.note(line, of: Self.session)
      #expect(!isKnown, "\(line)")
    }
  }
}
