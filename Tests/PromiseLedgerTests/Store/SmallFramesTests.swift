import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Each store decides how it packs events into frames; the answers about the events are the same.
@Suite(.timeLimit(.minutes(5))) struct SmallFramesTests {
  private static let small = 500
  private static let large = FrameHeader.maximumFrameByteCount

  private let clock = ManualLedgerClock(start: .at(1_000))

  /// A store with groups of small events, events as large as a frame can be, and attachments.
  private func filled(_ frameByteCount: Int) throws -> InMemoryEventStore {
    let store = InMemoryEventStore(frameByteCount: frameByteCount)
    let session = try WatchedSession(store, 1, clock: clock)
    try session.commit((1...100).map { CreatePromise(.numbered($0)) })
    try session.commit(
      (1...100).map { number in
        ResolvePromise(
          .numbered(number), content: Array(repeating: UInt8(number), count: number * number))
      })
    return store
  }

  private func frameSizes(of store: InMemoryEventStore) throws -> [Int] {
    var sizes: [Int] = []
    _ = try store.read(after: .start, limit: .max) { sizes.append($0.header.byteCount) }
    return sizes
  }

  private func archive(of store: InMemoryEventStore) throws -> [UInt8] {
    var writer = ArchiveWriter(
      of: store.ledgerID, createdAt: store.createdAt, try store.snapshotSummary(),
      through: try store.head())
    var archive: [UInt8] = []
    while let piece = try writer.next(from: store) { archive += piece }
    return archive
  }

  @Test func framesAreFilledUpToTheSizeOfTheStore() throws {
    let sizes = try frameSizes(of: filled(Self.small))
    let largest = try frameSizes(of: filled(Self.large))
    #expect(sizes.count > 2 * largest.count)
    #expect(sizes.contains { $0 > Self.small }, "of a single event that is larger")
    #expect(largest.allSatisfy { $0 <= Self.large })
    #expect(largest.contains { $0 > Self.large - 200 })
  }

  @Test func readsDoNotDependOnThem() throws {
    let (small, large) = (try filled(Self.small), try filled(Self.large))
    let head = try small.head()
    #expect(try large.head() == head)
    #expect(
      try LogDigest.start.continued(over: small, through: head)
        == LogDigest.start.continued(over: large, through: head))
    let (left, right) = (Replica(), Replica())
    _ = try left.catchUp(from: small)
    _ = try right.catchUp(from: large)
    #expect(try left.withState { try $0.digest() } == right.withState { try $0.digest() })
    #expect(try archive(of: small) == archive(of: large))
    for store in [small, large] {
      var folder = Folder()
      while try folder.step(of: store, through: head, limit: 30) != nil {}
      try folder.markReadBack(of: store)
    }
    #expect(try small.snapshotSummary() == large.snapshotSummary())
  }

  /// An archive has no frames: a ledger that is made from it has the frames of its own store.
  @Test func anArchiveOfSmallFramesMakesALedgerOfLargeOnes() throws {
    let store = try filled(Self.small)
    let archive = try archive(of: store)
    let file = try ArchiveFile(archive)
    _ = try LedgerImport().makeLedger(at: file.target, from: file.path)
    let copy = try BlockingInspector(at: file.target)
    #expect(try copy.archive() == archive)
    var sizes: [Int] = []
    _ = try copy.store.read(after: .start, limit: .max) { sizes.append($0.header.byteCount) }
    #expect(try sizes == frameSizes(of: filled(PageValue.byteCount)))
  }

  @Test func anEventAsLargeAsCanBeIsReadFromAnyStore() throws {
    for frameByteCount in [FrameHeader.byteCount, Self.small, Self.large] {
      let store = InMemoryEventStore(frameByteCount: frameByteCount)
      var batch = EventBatch()
      for size in [0, 1, EventBatch.maximumPayloadByteCount, 1] {
        try batch.append(
          NewEvent(
            kind: .promiseAbandoned, version: 1, time: .at(1), subject: .numbered(1),
            payload: Array(repeating: 7, count: size)))
      }
      let commit = CommitID(session: .numbered(1), number: 1)
      _ = try store.append(batch, commit, after: .start)
      var payloads: [Int] = []
      _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
        try frame.forEachEvent { payloads.append($0.payloadByteCount) }
      }
      #expect(payloads == [0, 1, EventBatch.maximumPayloadByteCount, 1])
      let isLargest = try frameSizes(of: store).contains(Self.large)
      #expect(isLargest)
    }
  }
}
