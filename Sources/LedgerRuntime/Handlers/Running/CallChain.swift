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
