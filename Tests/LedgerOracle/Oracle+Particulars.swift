extension Oracle {
  /// The numbers that a caller takes from what it knows of the ledger, which may be out of date when
  /// the command is decided.
  package struct Particulars: Hashable, Sendable {
    /// The attempt that the command is about.
    package var attempt = 1
    /// The binding that the command expects; `nil` if it expects none.
    package var bound: Int?
    /// The records that a removal was planned for; `nil` if it is planned when it is carried out.
    package var removal: Removal?

    package init() {}
  }

  package func particulars(of command: OracleCommand) -> Particulars {
    var particulars = Particulars()
    switch command {
    case .finish(let id, let age, _, _, _), .step(let id, let age, _, _, _, _),
      .suspend(let id, let age, _, _, _), .takeUp(let id, let age), .release(let id, let age, _):
      particulars.attempt = max(1, (promises[id]?.progress?.attempt ?? 0) - age)
    case .retryCall(let id, let call, let age, _), .releaseCall(let id, let call, let age),
      .finishCall(let id, let call, let age, _, _, _):
      particulars.attempt = max(1, (handlers[id]?.calls[call]?.attempt ?? 1) - age)
    case .rebind(let id, _, let expectsPresent?), .call(let id, _, _, let expectsPresent?),
      .invalidate(let id, _, _, let expectsPresent?):
      // A position that no binding has.
      particulars.bound = handlers[id].map { expectsPresent ? $0.bound : $0.bound + 1_000_000 }
    default: break
    }
    return particulars
  }
}
