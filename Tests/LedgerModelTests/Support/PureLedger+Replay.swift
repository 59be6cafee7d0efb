import LedgerModelTestSupport

@testable import LedgerModel

extension PureLedger {
  /// The state of a process that replays up to a frame, and continues from there later.
  func replayed(stoppingAt cut: Int) throws(LedgerError) -> LedgerState {
    var state = try LedgerState.replaying(frames[..<cut])
    for frame in frames[cut...] { try frame.replay(into: &state) }
    return state
  }
}
