import LedgerModelTestSupport
import LedgerRuntimeTesting
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// Walks through histories of which a part is folded.
@Suite(.timeLimit(.minutes(10))) struct EntityWalkTests {
  /// A random history, folded through an event.
  ///
  /// - Parameter share: The part that is folded, in quarters.
  private static func state(seed: UInt64, foldedQuarters share: UInt64) throws -> LedgerState {
    let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 30)
    let end = Position(rawValue: try subject.store.head().rawValue * share / 4)
    if end > .start { try subject.fold(through: end) }
    return try LedgerState.tail(of: subject.store)
  }

  private static func walk(
    _ path: EntityWalk.Path, after start: Position = .start, over state: LedgerState
  ) throws -> [LedgerEntity] {
    var walk = EntityWalk(path, after: start)
    var found: [LedgerEntity] = []
    while let slice = try walk.next(over: state) { found += slice }
    return found
  }

  @Test(arguments: TestAmount.seeds(3), 0...4 as ClosedRange<UInt64>)
  func whatEndedComesInTheOrderOfItsEnds(seed: UInt64, share: UInt64) throws {
    let state = try Self.state(seed: seed, foldedQuarters: share)
    // All of it in memory, so that nothing is merged.
    let whole = try Self.state(seed: seed, foldedQuarters: 0)
    let ended = whole.overlaid.filter { !$0.isOpen }.sorted { $0.lastPosition < $1.lastPosition }
    #expect(try Self.walk(.closed(nil), over: state) == ended)
    for kind in EntityKind.allCases {
      #expect(try Self.walk(.closed(kind), over: state) == ended.filter { $0.kind == kind })
    }
    let middle = ended.isEmpty ? .start : ended[ended.count / 2].lastPosition
    #expect(
      try Self.walk(.closed(nil), after: middle, over: state)
        == ended.filter { $0.lastPosition > middle })
  }

  @Test(arguments: TestAmount.seeds(3), 0...4 as ClosedRange<UInt64>)
  func whatNeedsNoConsumptionIsWhatEndedWithoutIt(seed: UInt64, share: UInt64) throws {
    let state = try Self.state(seed: seed, foldedQuarters: share)
    let ended = try Self.walk(.closed(nil), over: state)
    let alone = ended.filter { $0.handler != nil || $0.promise?.endsWhenSettled == true }
    #expect(try Self.walk(.endedAlone(nil), over: state) == alone)
    for kind in EntityKind.allCases {
      #expect(try Self.walk(.endedAlone(kind), over: state) == alone.filter { $0.kind == kind })
    }
  }

  @Test(arguments: TestAmount.seeds(3), 0...4 as ClosedRange<UInt64>)
  func whatIsOpenComesInTheOrderOfItsCreation(seed: UInt64, share: UInt64) throws {
    let state = try Self.state(seed: seed, foldedQuarters: share)
    let promises = try Self.walk(.openPromises, over: state)
    #expect(promises == (try state.openPromises().map(LedgerEntity.promise)))
    let computed = try state.openComputedPromises().map(LedgerEntity.promise)
    #expect(try Self.walk(.openWork, over: state) == computed)
    #expect(
      try Self.walk(.openHandlers, over: state) == state.openHandlers().map(LedgerEntity.handler))
  }
}
