import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The answers of every command on every state of a promise and of a handler, before and after
/// compaction.
///
/// While the record is there the answer is the same, to the byte; once it is gone the answer is the
/// documented one, and nothing comes back to life.
@Suite(.timeLimit(.minutes(10))) struct LateCommandTests {
  /// The answer of a command and the events that it would write, or its failure.
  private typealias Answer = String

  /// How the state came about.
  private enum Stage: String, CaseIterable {
    case replayed, folded, reopened, withoutEvents
    case removed, removalFolded, removalReopened, removedWithoutEvents

    var isRemoved: Bool {
      switch self {
      case .replayed, .folded, .reopened, .withoutEvents: false
      default: true
      }
    }
  }

  private struct Table {
    var answers: [Stage: [String: Answer]] = [:]
    /// Of a ledger with as many events after them as a removal takes: new events then have the same
    /// positions.
    var later: [String: Answer] = [:]
    var ledger: LateCommandLedger
  }

  @Test(arguments: StoreMaker.all)
  func answersStayUntilTheRecordIsGone(maker: StoreMaker) throws {
    let table = try makeTable(maker)
    let expected = try #require(table.answers[.replayed])
    #expect(expected.count > 300)
    for stage in Stage.allCases {
      let answers = try #require(table.answers[stage])
      let kept = stage.isRemoved ? table.later : expected
      for request in table.ledger.requests {
        let answer = try #require(answers[request.name])
        let isGone = stage.isRemoved && request.subject.isClosed
        #expect(
          answer == (isGone ? request.answerOnceGone : kept[request.name]),
          "\(request.name), \(stage.rawValue)")
      }
    }
  }

  private func makeTable(_ maker: StoreMaker) throws -> Table {
    let made = try maker.make()
    let subject = try CompactedStore(made.store, seed: 1, groupCount: 0)
    let ledger = try LateCommandLedger(subject)
    var table = Table(ledger: ledger)
    table.answers[.replayed] = try ledger.answers(of: subject.state)
    try subject.fold()
    table.answers[.folded] = try ledger.answers(of: subject.state)
    table.answers[.reopened] = try ledger.answers(of: .tail(of: made.store))
    try subject.deleteEvents()
    table.answers[.withoutEvents] = try ledger.answers(of: .tail(of: made.store))
    let head = subject.state.position.rawValue
    try subject.removeRecords(endedBy: .at(.max))
    table.later = try laterAnswers(subject.state.position.rawValue - head)
    table.answers[.removed] = try ledger.answers(of: subject.state)
    try subject.fold()
    table.answers[.removalFolded] = try ledger.answers(of: subject.state)
    table.answers[.removalReopened] = try ledger.answers(of: .tail(of: made.store))
    try subject.deleteEvents()
    table.answers[.removedWithoutEvents] = try ledger.answers(of: .tail(of: made.store))
    return table
  }

  private func laterAnswers(_ eventCount: UInt64) throws -> [String: Answer] {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    let ledger = try LateCommandLedger(subject)
    for _ in 0..<eventCount {
      let taken = SnapshotTaken(
        position: .start, recordCount: 0, stateDigest: .empty, logDigest: .start)
      try subject.commit(RecordCompaction(snapshot: taken, deletion: nil))
    }
    return try ledger.answers(of: subject.state)
  }
}
