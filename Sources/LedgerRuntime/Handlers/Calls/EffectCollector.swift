import Synchronization

/// The effects that code requests while it runs.
final class EffectCollector: Sendable {
  private struct Contents {
    var effects: [HandlerEffect] = []
    var byteCount = 0
    var hasEnded = false
  }

  let ledger: Ledger
  /// The name of the handler or the work.
  let codeName: CodeName
  private let run: Run
  private let contents = Mutex(Contents())

  /// The run that has the effects, as errors name it.
  enum Run: Sendable, CustomStringConvertible {
    case call(CallID)
    case attempt(UInt32)
    case step(StepIdentity)

    var description: String {
      switch self {
      case .call(let id): "call \(id)"
      case .attempt(let number): "attempt \(number)"
      case .step(let step): "step \(step)"
      }
    }
  }

  init(of codeName: CodeName, _ run: Run, in ledger: Ledger) {
    self.ledger = ledger
    self.codeName = codeName
    self.run = run
  }

  /// Keeps an effect until the code ends.
  ///
  /// - Parameter byteCount: The size of its value or arguments.
  func add(_ effect: HandlerEffect, byteCount: Int) throws(LedgerError) {
    let limit = ledger.configuration.maximumPayloadSizeInBytes
    try contents.withLock { (contents) throws(LedgerError) in
      guard !contents.hasEnded else {
        throw LedgerError(
          .callEnded,
          "\(codeName): the code of \(run) has returned, so it can ask for no more effects. Await every task that asks for effects before the code returns."
        )
      }
      guard contents.effects.count < HandlerEffect.maximumCount else {
        throw LedgerError(
          .invalidArgument,
          "\(codeName): \(run) has more than \(HandlerEffect.maximumCount) effects. Spread them over several calls."
        )
      }
      guard contents.byteCount + byteCount <= limit else {
        throw LedgerError(
          .payloadTooLarge,
          "\(codeName): the effects of \(run) have more than \(limit) bytes together. Spread them over several calls."
        )
      }
      contents.byteCount += byteCount
      contents.effects.append(effect)
    }
  }

  /// Whether the code has returned or thrown.
  var hasEnded: Bool { contents.withLock { $0.hasEnded } }

  /// The running code, for the promises among its arguments.
  func code(with promises: Set<PromiseID>) -> RunningCode {
    RunningCode(
      name: codeName, ledger: ledger.id, promises: promises,
      hasEnded: { self.hasEnded })
  }

  /// Refuses further effects, and returns those collected: tasks that the code left behind may keep the call.
  func end() -> [HandlerEffect] {
    contents.withLock { contents in
      contents.hasEnded = true
      defer { contents.effects = [] }
      return contents.effects
    }
  }
}
