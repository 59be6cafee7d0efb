import LedgerBytes
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct LogDigestTests {
  /// Values that an asynchronous function holds across a suspension lie in a frame that is aligned
  /// to 16 bytes. This compiler writes beyond the end of the frame if a value needs a higher
  /// alignment.
  @Test func digestsFitTheFramesOfAsynchronousFunctions() {
    #expect(MemoryLayout<LogDigest>.alignment <= 16)
    #expect(MemoryLayout<StateDigest>.alignment <= 16)
  }

  @Test func digestIsTheSpecifiedChain() throws {
    let ledger = try CraftedLedger.sample()
    let inspector = try BlockingInspector(at: ledger.path)
    var expected = [UInt8](repeating: 0, count: 32)
    for (event, attachment) in try inspector.history() {
      let number = { (value: UInt64) in (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      }
      let text =
        expected + number(event.position.rawValue) + event.commit.session.entityID.bytes
        + number(event.commit.number) + event.record + attachment
      expected = SHA256Hasher.hash(of: text)
    }
    let digest = try inspector.logDigest()
    #expect(digest.bytes == expected)
    #expect(digest.position == Position(rawValue: 110))
  }

  @Test func digestGoesOnFromAnyPosition() throws {
    let ledger = try CraftedLedger.sample()
    let inspector = try BlockingInspector(at: ledger.path)
    let whole = try inspector.logDigest()
    for position in [0, 1, 7, 60, 110] as [UInt64] {
      let part = try inspector.logDigest(through: Position(rawValue: position))
      #expect(part.position.rawValue == position)
      #expect(try inspector.logDigest(from: part) == whole, "position \(position)")
    }
  }

  @Test func digestDoesNotDependOnFrames() throws {
    var one = try CraftedLedger()
    let events = (0..<5).map { NewEvent.raw(EventKind(rawValue: 999), on: .numbered($0)) }
    try one.commit(events)
    // The same commit in two frames.
    let commit = CommitID(session: .numbered(1), number: 1)
    let temporary = try TemporaryLedger()
    let metadata = LedgerMetadata(ledgerID: LedgerID(entityID: .numbered(77)), createdAt: .at(5))
    try LMDBEventStore.construct(LedgerDirectory(temporary.path), metadata: metadata) {
      (construction) throws(LedgerError) in
      var builder = LedgerBuilder(construction)
      for (index, event) in events.enumerated() {
        _ = try builder.append(event, at: Position(rawValue: UInt64(index + 1)), of: commit)
        if index == 2 { try builder.finish() }
      }
      try builder.finish()
    }
    let (left, right) = (
      try BlockingInspector(at: one.path), try BlockingInspector(at: temporary.path)
    )
    #expect(try left.store.frameCount() == 1)
    #expect(try right.store.frameCount() == 2)
    #expect(try left.logDigest() == right.logDigest())
  }

  @Test func beyondTheHeadIsRefused() throws {
    let ledger = try CraftedLedger.sample()
    let inspector = try BlockingInspector(at: ledger.path)
    #expect(throws: LedgerError.self) {
      try inspector.logDigest(through: Position(rawValue: 111))
    }
  }
}

extension InspectedStore {
  fileprivate func frameCount() throws(LedgerError) -> Int {
    var count = 0
    _ = try read(after: .start, limit: .max) { _ in count += 1 }
    return count
  }
}
