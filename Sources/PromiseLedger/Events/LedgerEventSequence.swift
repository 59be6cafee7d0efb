extension Ledger {
  /// The events after a position: first those that are there, then each new one, without a gap or a
  /// repetition.
  ///
  /// The sequence reads as fast as it is iterated and holds at most one slice of events. It waits
  /// while the ledger is frozen and ends when it is closed.
  ///
  /// - Parameter position: Where to begin; ``Position/start`` for all.
  public func events(after position: Position = .start) -> LedgerEventSequence {
    LedgerEventSequence(engine: engine, position: position)
  }
}

/// The events of a ledger in their order, as they come.
///
/// It throws ``LedgerError`` with `corrupt` at a damaged event, and `CancellationError`.
public struct LedgerEventSequence: AsyncSequence, Sendable {
  let engine: LedgerEngine
  let position: Position

  /// Starts after the position.
  public func makeAsyncIterator() -> Iterator {
    Iterator(engine: engine, position: position)
  }

  /// Reads a slice, hands it out, and waits for more.
  public struct Iterator: AsyncIteratorProtocol {
    /// The events of a slice, at least; a slice ends with a frame.
    static let sliceEventCount = 256

    private let engine: LedgerEngine
    private var position: Position
    private var slice: [LedgerEvent] = []
    private var index = 0

    init(engine: LedgerEngine, position: Position) {
      self.engine = engine
      self.position = position
    }

    /// The next event.
    public mutating func next() async throws -> LedgerEvent? {
      do {
        while index == slice.count {
          try Task.checkCancellation()
          try readSlice(try await engine.openStore())
          if slice.isEmpty { try await engine.advance(past: position) }
        }
      } catch let error as LedgerError where error.code == .closed {
        // The store of a session that freezes just now is closed, too; then there is more to come.
        guard case .closed = engine.phase.current else { return try await next() }
        return nil
      }
      defer { index += 1 }
      return slice[index]
    }

    private mutating func readSlice(_ store: any EventStore) throws(LedgerError) {
      let start = position
      var events: [LedgerEvent] = []
      position = try store.read(after: start, limit: Self.sliceEventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: start) { event in events.append(LedgerEvent(copying: event)) }
      }
      slice = events
      index = 0
    }
  }
}

@available(*, unavailable)
extension LedgerEventSequence.Iterator: Sendable {}
