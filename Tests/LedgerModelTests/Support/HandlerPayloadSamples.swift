@testable import LedgerModel

extension HandlerRebound {
  /// Arguments that refer to nothing.
  init(mode: HandlerRebound.Mode, arguments: StoredArguments?) {
    self.init(mode: mode, references: .none, arguments: arguments)
  }
}

extension HandlerCallStarted {
  /// A run without arguments.
  init(call: CallID, attempt: UInt32) {
    self.init(
      call: call, attempt: attempt, references: .none, arguments: StoredArguments.none)
  }
}

extension HandlerInvalidated {
  /// Without arguments.
  init(call: CallID, runsCode: Bool, reason: String) {
    self.init(
      call: call, runsCode: runsCode, reason: reason, references: .none,
      arguments: StoredArguments.none)
  }
}
