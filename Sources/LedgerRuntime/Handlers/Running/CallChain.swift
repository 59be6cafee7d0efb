/// The calls whose code waits for the code that is running now, outermost first.
enum CallChain {
  /// The maximum depth to which code may call handlers and wait for them.
  static let maximumDepth = 64

  @TaskLocal static var current: [RunningCall] = []

  /// The calls in the chain that have not ended. Tasks that code leaves behind inherit the chain, and may
  /// call handlers indefinitely.
  static var waiting: [RunningCall] { current.filter { !$0.hasEnded } }

  /// Rejects a call by the handler's own code.
  static func refuseRecursion(of id: HandlerID, in ledger: Ledger) throws(LedgerError) {
    let waiting = waiting
    guard !waiting.contains(where: { $0.handler == id && $0.ledger.id == ledger.id }) else {
      throw .handlerRecursion(id)
    }
    guard waiting.count < maximumDepth else { throw .handlerNesting(id, depth: maximumDepth) }
  }
}
