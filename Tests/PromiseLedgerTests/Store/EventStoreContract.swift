import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The requirements on every store for events.
@Suite(.timeLimit(.minutes(10))) struct EventStoreContract {
  @Test(arguments: StoreMaker.all)
  func anEmptyStoreHasItsHeadAtTheStart(maker: StoreMaker) throws {
    let subject = try maker.make()
    #expect(try subject.store.head() == .start)
    #expect(try subject.events().isEmpty)
  }

  @Test(arguments: StoreMaker.all, [1, 2, 50, 1_000])
  func appendedEventsAreReadInOrder(maker: StoreMaker, count: Int) throws {
    let subject = try maker.make()
    #expect(try subject.append(count) == Position(rawValue: UInt64(count)))
    let events = try subject.events()
    #expect(events.map(\.position.rawValue) == Array(1...UInt64(count)))
    #expect(
      try events.map { try $0.decode(as: PromiseAbandoned.self)?.reason }
        == (0..<count).map(String.init))
    #expect(events.allSatisfy { $0.session == StoreUnderTest.session })
  }

  @Test(arguments: StoreMaker.all, [0, 1, 19, 20, 21, 999, 1_000])
  func readingStartsAfterAnyPosition(maker: StoreMaker, position: UInt64) throws {
    let subject = try maker.make()
    try subject.append(1_000)
    let read = try subject.events(after: Position(rawValue: position)).map(\.position.rawValue)
    #expect(read == Array((position + 1)..<1_001))
  }

  @Test(arguments: StoreMaker.all, [1_000, 1_001, .max - 1, .max] as [UInt64])
  func nothingStandsAfterTheLastEvent(maker: StoreMaker, position: UInt64) throws {
    let subject = try maker.make()
    try subject.append(1_000)
    #expect(try subject.events(after: Position(rawValue: position)).isEmpty)
  }

  @Test(arguments: StoreMaker.all)
  func aLimitEndsTheReadWithTheFrameThatReachesIt(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(1_000)
    let some = try subject.events(limit: 100)
    #expect(some.count >= 100 && some.count < 200)
    let last = try #require(some.last).position
    #expect(try subject.events(after: last).first?.position == last.advanced(by: 1))
  }

  @Test(arguments: StoreMaker.all)
  func aCommitHandsOverEventsThatTheCallerHasNotApplied(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(300)
    var caughtUp: [UInt64] = []
    var headSeen = Position.start
    let after = Position(rawValue: 120)
    let head = try subject.store.commit(
      CommitID(session: StoreUnderTest.session, number: 2), after: after,
      patience: Patience(.seconds(5)),
      catchUp: { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: after) { caughtUp.append($0.position.rawValue) }
      },
      decide: { (head, _) throws(LedgerError) in
        headSeen = head
        return try StoreUnderTest.batch(1)
      })
    #expect(caughtUp == Array(121...300))
    #expect(headSeen == Position(rawValue: 300))
    #expect(head == Position(rawValue: 301))
  }

  @Test(arguments: StoreMaker.all)
  func anEmptyDecisionCommitsNothing(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(3)
    let count = subject.store.changeCount
    #expect(try subject.append(0, number: 2, after: Position(rawValue: 3)) == Position(rawValue: 3))
    #expect(try subject.store.head() == Position(rawValue: 3))
    #expect(subject.store.changeCount == count, "nobody is woken for nothing")
  }

  @Test(arguments: StoreMaker.all)
  func aDecisionThatThrowsCommitsNothing(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(3)
    #expect(throws: LedgerError.self) {
      try subject.store.commit(
        CommitID(session: StoreUnderTest.session, number: 2), after: .start,
        patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
        decide: { (_, _) throws(LedgerError) in throw LedgerError(.conflict, "no") })
    }
    #expect(try subject.store.head() == Position(rawValue: 3))
    try subject.append(1, number: 3, after: Position(rawValue: 3))
    #expect(try subject.events().count == 4)
  }

  @Test(arguments: StoreMaker.all, [1, 4_072, 4_073, 1_000_000])
  func anAttachmentComesBackWhole(maker: StoreMaker, byteCount: Int) throws {
    let subject = try maker.make()
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try subject.append(2, attachment: bytes)
    let event = try #require(try subject.events().first)
    #expect(event.attachmentByteCount == byteCount)
    #expect(try subject.store.attachment(of: event.position, byteCount: byteCount) == bytes)
  }

  @Test(arguments: StoreMaker.all)
  func aMissingAttachmentIsCorrupt(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(1)
    #expect { try subject.store.attachment(of: Position(rawValue: 1), byteCount: 10) } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }

  @Test(arguments: StoreMaker.all)
  func anAttachmentIsDeletedWhole(maker: StoreMaker) throws {
    let subject = try maker.make()
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    for number in 0..<3 {
      try subject.append(
        1, number: UInt64(number + 1), after: Position(rawValue: UInt64(number)), attachment: bytes)
    }
    let second = AttachmentReference(position: Position(rawValue: 2), byteCount: bytes.count)
    let summary = try subject.store.snapshotSummary()
    let deletion = TableChange(deleting: second)
    #expect(try SnapshotAttachments.shows(deletion, in: subject.store) == false)
    _ = try subject.store.changeSnapshot(
      [deletion], from: summary, to: summary, patience: Patience(.seconds(5)))
    #expect(try SnapshotAttachments.shows(deletion, in: subject.store))
    let left = try SnapshotAttachments.audit(subject.store, events: 3, [1: 10_000, 3: 10_000])
    #expect(left.reports.isEmpty)
    let other = TableChange(bytes, at: second.position)
    #expect(try SnapshotAttachments.shows(other, in: subject.store) == false)
    for position in [1, 3] as [UInt64] {
      let position = Position(rawValue: position)
      #expect(try subject.store.attachment(of: position, byteCount: bytes.count) == bytes)
      #expect(try SnapshotAttachments.shows(TableChange(bytes, at: position), in: subject.store))
    }
  }

  @Test(arguments: StoreMaker.all)
  func anAuditFindsAttachmentsWithoutAnEvent(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(2, attachment: [1, 2, 3])
    let named = try SnapshotAttachments.audit(subject.store, events: 2, [1: 3])
    #expect(named.reports.isEmpty && named.stepCount == 1)
    let unnamed = try SnapshotAttachments.audit(subject.store, events: 2, [:])
    #expect(unnamed.reports.map(\.position) == [Position(rawValue: 1)])
    let unseen = try SnapshotAttachments.audit(subject.store, events: 0, [:])
    #expect(unseen.reports.map(\.position) == [nil], "it is counted")
    #expect(unseen.hasMore)
  }

  @Test(arguments: StoreMaker.all)
  func aCommitChangesTheCountThatWaitersWatch(maker: StoreMaker) throws {
    let subject = try maker.make()
    let before = subject.store.changeCount
    try subject.append(1)
    #expect(subject.store.changeCount != before)
    subject.store.waitForChange(since: before, timeout: .seconds(60))
  }

  @Test(arguments: StoreMaker.all)
  func oneAtATimeHoldsTheLockOfCompaction(maker: StoreMaker) throws {
    let subject = try maker.make()
    let first = try #require(try subject.store.lockForCompaction())
    #expect(try subject.store.lockForCompaction() == nil)
    first.release()
    let second = try #require(try subject.store.lockForCompaction())
    // It is the other's now.
    first.release()
    #expect(try subject.store.lockForCompaction() == nil)
    subject.store.close()
    second.release()
    #expect(try subject.reopened().lockForCompaction() != nil)
  }

  @Test func aStoreThatLosesARaceDecidesAgain() throws {
    let store = InMemoryEventStore()
    let subject = StoreUnderTest(store: store)
    store.simulateConflicts(3)
    var decisions = 0
    let head = try subject.store.commit(
      CommitID(session: StoreUnderTest.session, number: 1), after: .start,
      patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
      decide: { (_, _) throws(LedgerError) in
        decisions += 1
        return try StoreUnderTest.batch(2)
      })
    #expect(decisions == 4)
    #expect(head == Position(rawValue: 2))
  }
}

/// The entries about attachments in a store's tables.
private enum SnapshotAttachments {
  static func shows(_ change: TableChange, in store: any EventStore) throws -> Bool {
    try store.readSnapshot { (tables) throws(LedgerError) in
      do throws(LedgerError) {
        return try tables.show([change])[0]
      } catch {
        guard error.code == .corrupt else { throw error }
        return false
      }
    }
  }

  struct Outcome {
    var reports: [(message: String, position: Position?)] = []
    var stepCount = 0
    var hasMore = false
  }

  static func audit(
    _ store: any EventStore, events count: UInt64, _ byteCounts: [UInt64: Int]
  ) throws -> Outcome {
    var outcome = Outcome()
    let byteCounts = Dictionary(
      uniqueKeysWithValues: byteCounts.map { (Position(rawValue: $0), $1) })
    try store.readSnapshot { (tables) throws(LedgerError) in
      var audit = tables.auditOfAttachments()
      for number in 0..<count {
        let position = Position(rawValue: number + 1)
        try audit.check(from: position, through: position, byteCounts) {
          outcome.stepCount += 1
        } report: { (message, position) in
          outcome.reports.append((message, position))
        }
      }
      outcome.hasMore = try audit.checkCount { outcome.reports.append(($0, nil)) }
    }
    return outcome
  }
}
