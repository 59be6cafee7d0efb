import Foundation
import PromiseLedger

/// Reads the events of a ledger in their order and holds one slice of them at a time.
struct EventReader {
  private static let sliceEventCount = 1_000
  /// How long to sleep before looking for new events: at most two idle wake-ups a second.
  private static let pause = 0.5

  let inspector: BlockingInspector
  let output: any TextSink
  var after = Position.start
  var through = Position(rawValue: .max)
  /// Whether to wait for more events at the end.
  var follows = false
  /// Whether to print a note about events that compaction deleted.
  var notesDeletion = true

  /// Passes each event to `body` until it returns `false`.
  func read(_ body: (LedgerEvent) throws -> Bool) throws {
    var position = after
    while position < through {
      let slice: [LedgerEvent]
      do throws(LedgerError) {
        slice = try inspector.events(after: position, limit: Self.sliceEventCount)
      } catch {
        guard let through = error.eventsDeletedThrough else { throw error }
        if notesDeletion {
          try output.note("Events up to position \(through) were deleted by compaction.")
        }
        position = through
        continue
      }
      for event in slice {
        guard event.position <= through, try body(event) else { return }
      }
      if let last = slice.last {
        position = last.position
      } else if follows {
        try output.flush()
        Thread.sleep(forTimeInterval: Self.pause)
      } else {
        return
      }
      try output.alive()
    }
  }
}
