import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct IdempotencyTableTests {
  @Test func theTableHas324DifferentRows() {
    #expect(IdempotencyTable.rows.count == 324)
    #expect(Set(IdempotencyTable.rows.map(\.combination)).count == 324)
  }

  @Test func noRefusalAndNoDeduplicationOfTheTableChangesWhatIsStored() {
    for row in IdempotencyTable.rows {
      switch row.expected.verdict {
      case .created, .resolved: #expect(row.expected.after != row.stored, "\(row)")
      default: #expect(row.expected.after == row.stored, "\(row)")
      }
    }
  }

  @Test(arguments: IdempotencyTable.rows)
  func aRequestGetsTheAnswerOfTheTable(row: IdempotencyTable.Row) throws {
    var ledger = try Self.ledger(storing: row)

    #expect(try row.ask(&ledger, Self.id(row)) == row.expected.verdict)
  }

  @Test(arguments: IdempotencyTable.rows)
  func aRequestLeavesTheStateOfTheTable(row: IdempotencyTable.Row) throws {
    var ledger = try Self.ledger(storing: row)
    try #require(try IdempotencyOracle.Stored(ledger.state.promise(Self.id(row))) == row.stored)

    _ = try row.ask(&ledger, Self.id(row))

    let after = try IdempotencyOracle.Stored(ledger.state.promise(Self.id(row)))
    #expect(after == row.expected.after)
  }

  @Test(arguments: IdempotencyTable.rows)
  func aRequestAppendsAnEventOnlyIfItChangesTheState(row: IdempotencyTable.Row) throws {
    var ledger = try Self.ledger(storing: row)
    let before = ledger.state.contents

    _ = try row.ask(&ledger, Self.id(row))

    if row.expected.after == row.stored {
      #expect(ledger.state.contents == before)
    } else {
      #expect(ledger.state.position == before.position.advanced(by: 1))
    }
  }

  @Test(arguments: IdempotencyTable.rows)
  func theStateAfterARequestEqualsTheReplayOfTheEvents(row: IdempotencyTable.Row) throws {
    var ledger = try Self.ledger(storing: row)

    _ = try row.ask(&ledger, Self.id(row))

    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test(arguments: IdempotencyTable.rows)
  func theSameRequestAgainChangesNothing(row: IdempotencyTable.Row) throws {
    var ledger = try Self.ledger(storing: row)
    _ = try row.ask(&ledger, Self.id(row))
    let after = ledger.state.contents

    _ = try row.ask(&ledger, Self.id(row))

    #expect(ledger.state.contents == after)
  }

  private static func id(_ row: IdempotencyTable.Row) -> PromiseID { .numbered(row.number) }

  /// A ledger with the row's promise between two others.
  private static func ledger(storing row: IdempotencyTable.Row) throws -> PureLedger {
    var ledger = PureLedger(now: .at(5_000))
    try ledger.commit(CreatePromise(.numbered(1_001), idempotencyKey: IdempotencyTable.otherKey))
    try ledger.append(row.storedEvents(on: id(row), deadline: .at(3_000), time: .at(5_000)))
    try ledger.commit(CreatePromise(.numbered(1_002), idempotencyKey: IdempotencyTable.createKey))
    return ledger
  }
}

extension IdempotencyTable.Row {
  fileprivate struct Combination: Hashable {
    let stored: IdempotencyOracle.Stored
    let request: IdempotencyOracle.Request
  }

  fileprivate var combination: Combination { Combination(stored: stored, request: request) }
}
