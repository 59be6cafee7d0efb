import LedgerModelTestSupport
import LedgerRuntimeTesting
import PromiseLedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Deleting folded events changes no answer but that about these events.
@Suite(.timeLimit(.minutes(10))) struct EventDeletionTests {
  @Test(arguments: StoreMaker.all(seeds: 8))
  func answersStayWhenEventsAreDeleted(maker: StoreMaker, seed: UInt64) throws {
    let made = try maker.make()
    let subject = try CompactedStore(made.store, seed: seed, groupCount: 30)
    let whole = try Answers(subject.replayed(), subject.writer)
    try subject.fold()
    let head = try made.store.head()
    let count = try subject.deleteEvents()
    #expect(count > 0)
    let through = try made.store.snapshotSummary().deletedThrough
    #expect(through.rawValue == UInt64(count))
    #expect(try made.store.head() == head)
    #expect(try Answers(.tail(of: made.store), subject.writer) == whole, "seed \(seed)")
    #expect { try made.events(after: .start) } throws: {
      ($0 as? LedgerError)?.eventsDeletedThrough == through
    }
    #expect(try made.events(after: through).first?.position == through.advanced(by: 1))
    try checkAttachments(subject, made)
  }

  /// The attachments that records name are there; of the deleted events, no others are.
  private func checkAttachments(_ subject: CompactedStore, _ made: StoreUnderTest) throws {
    let state = try LedgerState.tail(of: made.store)
    let reader = try SnapshotReader(made.store)
    var named: Set<AttachmentReference> = []
    for number in 1...subject.writer.entityCount {
      let ids = [
        RandomLedger.promise(number).entityID, RandomLedger.handler(number).entityID,
        RandomLedger.work(number).entityID,
      ]
      for id in ids {
        named.formUnion(try reader.entity(id)?.attachments ?? [])
      }
    }
    for attachment in named {
      let bytes = try made.store.attachment(
        of: attachment.position, byteCount: attachment.byteCount)
      #expect(bytes.count == attachment.byteCount)
    }
    var position = Position.start
    for commit in subject.commits {
      for attachment in commit.batch.attachments {
        let reference = AttachmentReference(
          position: position.advanced(by: attachment.index + 1),
          byteCount: attachment.bytes.count)
        guard reference.position <= reader.summary.deletedThrough, !named.contains(reference)
        else { continue }
        #expect {
          try made.store.attachment(of: reference.position, byteCount: reference.byteCount)
        } throws: {
          ($0 as? LedgerError)?.eventsDeletedThrough == reader.summary.deletedThrough
        }
      }
      position = position.advanced(by: commit.batch.count)
    }
    #expect(position == state.position)
  }

  /// As a session does that froze in the middle of its last step.
  @Test func aDeletionBesideAnotherOnesIsToBeMadeAgain() throws {
    let store = WatchedStore()
    try CompactedStore(store, seed: 3, groupCount: 10).fold()
    var folder = Folder()
    try folder.markReadBack(of: store)
    let head = try store.head()
    store.afterRead = {
      let step = try? EventDeletion(store.store).step(through: head)
      #expect(step != nil)
    }
    #expect {
      try EventDeletion(store).step(through: head)
    } throws: {
      ($0 as? LedgerError)?.lookAgain == .snapshotMoved
    }
  }

  @Test func eventsThatWereNotReadBackStay() throws {
    let made = try StoreMaker.inMemory.make()
    let subject = try CompactedStore(made.store, seed: 3, groupCount: 10)
    var folder = Folder()
    _ = try folder.step(of: made.store, through: try made.store.head(), limit: 100_000)
    let head = try made.store.head()
    #expect(try EventDeletion(made.store).step(through: head) == nil)
    try folder.markReadBack(of: made.store)
    #expect(try EventDeletion(made.store).step(through: head) != nil)
    #expect(
      try Answers(.tail(of: made.store), subject.writer) == Answers(subject.state, subject.writer))
  }

  @Test func aRecordThatDiffersFromTheWrittenOneStopsEverything() throws {
    let made = try StoreMaker.lmdb.make()
    let subject = try CompactedStore(made.store, seed: 3, groupCount: 10)
    var folder = Folder()
    _ = try folder.step(of: made.store, through: try made.store.head(), limit: 100_000)
    let victim = try #require(subject.state.promises.all.first).id.entityID
    let head = try made.store.head()
    try made.store.damage([TableChange(.entities, victim.bytes, nil)])
    // Another process continues where the first one died.
    var next = Folder()
    #expect { try next.markReadBack(of: made.store) } throws: { error in
      let error = error as? LedgerError
      return error?.code == .corrupt && error?.message.contains("\(victim)") == true
    }
    #expect {
      try EventDeletion(made.store).step(through: head)
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }
}
