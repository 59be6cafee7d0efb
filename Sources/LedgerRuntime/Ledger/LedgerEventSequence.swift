extension Ledger {
  /// The events after a position: first the existing ones, then each new one, without gaps or repetitions.
  ///
  /// A compaction may delete events that were folded into the snapshot. If some of them are later than the position,
  /// there would be a gap, so the sequence throws an error with `eventsDeleted`. Deleted events are in the archive, if
  /// there is one.
  ///
  /// The sequence reads as fast as it is iterated and holds at most one slice of events. It waits while the
  /// ledger is frozen, and ends when the ledger is closed.
  ///
  /// - Parameter position: The position to begin after; ``Position/start`` for all events, if none were deleted.
  public func events(after position: Position = .start) -> LedgerEventSequence {
    LedgerEventSequence(engine: engine, position: position)
  }
}

/// The events of a ledger, in order, as they are written.
///
/// It throws ``LedgerError`` with `corrupt` at a damaged event, and with `eventsDeleted` if a compaction has deleted the
/// next events, and `CancellationError`.
public struct LedgerEventSequence: AsyncSequence, Sendable {
  let engine: LedgerEngine
  let position: Position

  /// Starts after the position.
  public func makeAsyncIterator() -> Iterator {
    Iterator(engine: engine, position: position)
  }

  /// Reads a slice, hands it out, and waits for more.
  public struct Iterator: AsyncIteratorProtocol {
    /// The minimum number of events in a slice; a slice ends with a whole frame.
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
          try await readSlice()
          if slice.isEmpty { try await engine.advance(past: position) }
        }
      } catch let error as LedgerError where error.code == .closed {
        return nil
      }
      defer { index += 1 }
      return slice[index]
    }

    private mutating func readSlice() async throws {
      let start = position
      (slice, position) = try await engine.readStore { store in
        var events: [LedgerEvent] = []
        let last = try store.read(after: start, limit: Self.sliceEventCount) {
          (frame) throws(LedgerError) in
          try frame.forEachEvent(after: start) { event in
            events.append(LedgerEvent(copying: event))
          }
        }
        return (events, last)
      }
      index = 0
    }
  }
}

@available(*, unavailable)
extension LedgerEventSequence.Iterator: Sendable {}
