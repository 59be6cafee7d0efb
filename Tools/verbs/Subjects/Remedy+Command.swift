import LedgerRuntime

extension Explanation {
  /// The commands by which an operator ends the reasons, or learns more, each once.
  func commands(for ledger: LedgerWords) -> [String] {
    var commands: [String] = []
    for reason in reasons {
      if case .runs(.inLostProcess(let attempt)) = reason {
        // The session of the operator gives back what dead sessions ran.
        commands.append(ledger.line("retry", attempt.promise.entityID, "--apply"))
      }
      if case .call(.runsInLostProcess) = reason {
        commands.append(ledger.line("retry", id, "--apply"))
      }
      commands += reason.remedies.compactMap { $0.command(for: ledger) }
    }
    return commands.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension Explanation.Remedy {
  fileprivate func command(for ledger: LedgerWords) -> String? {
    switch self {
    case .resolve(let id):
      ledger.line("resolve", id.entityID, "--value", "JSON", "--apply")
    case .abandon(let id):
      ledger.line("abandon", id.entityID, "--reason", "TEXT", "--apply")
    case .retry(let id): ledger.line("retry", id.entityID, "--apply")
    case .cancel(let id): ledger.line("cancel", id.entityID, "--reason", "TEXT", "--apply")
    case .park(let id): ledger.line("park", id.entityID, "--apply")
    case .force(let id): ledger.line("force", id.entityID, "--value", "JSON", "--apply")
    case .explain(let id): ledger.line("explain", id.entityID)
    case .invalidate(let id):
      ledger.line("invalidate", id.entityID, "--reason", "TEXT", "--apply")
    case .verify: ledger.command("verify", []).shellLine
    default: nil
    }
  }
}

extension LedgerWords {
  /// A line to paste into a shell, about a promise or handler.
  fileprivate func line(_ verb: String, _ id: EntityID, _ options: String...) -> String {
    command(verb, ["\(id)"] + options).shellLine
  }
}
