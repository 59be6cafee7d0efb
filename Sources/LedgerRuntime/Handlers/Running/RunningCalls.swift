import Synchronization

/// The calls that this session runs, or is about to begin.
///
/// The ledger knows which session began a call; only the session itself knows whether its code still
/// runs. A call is noted here before it begins in the ledger.
final class RunningCalls: Sendable {
  private let contents = Mutex<Set<CallID>>([])

  /// Notes a call; false if it is noted already.
  func begin(_ id: CallID) -> Bool { contents.withLock { $0.insert(id).inserted } }
  func end(_ id: CallID) { contents.withLock { _ = $0.remove(id) } }
  func contains(_ id: CallID) -> Bool { contents.withLock { $0.contains(id) } }
}

/// The calls whose code waits for the code that runs now, from the outermost on.
enum CallChain {
  /// How deep code may call handlers and wait for them.
  static let maximumDepth = 64

  @TaskLocal static var current: [RunningCall] = []

  /// Those of them that did not end. Tasks that code leaves behind inherit the chain, and may call
  /// handlers for ever.
  static var waiting: [RunningCall] { current.filter { !$0.hasEnded } }

  /// Refuses a call by the handler's own code.
  static func refuseRecursion(of id: HandlerID, in ledger: Ledger) throws(LedgerError) {
    let waiting = waiting
    guard !waiting.contains(where: { $0.handler == id && $0.ledger.id == ledger.id }) else {
      throw .handlerRecursion(id)
    }
    guard waiting.count < maximumDepth else { throw .handlerNesting(id, depth: maximumDepth) }
  }
}
