import PromiseLedger

extension Explanation {
  /// The commands by which an operator ends the reasons, or learns more, each once.
  ///
  /// - Parameter path: The directory of the ledger.
  func commands(at path: String) -> [String] {
    var commands: [String] = []
    for reason in reasons {
      if case .runs(.inLostProcess(let attempt)) = reason {
        // The session of the operator gives back what dead sessions ran.
        commands.append(Command("retry", path, attempt.promise.entityID, "--apply").text)
      }
      if case .call(.runsInLostProcess) = reason {
        commands.append(Command("retry", path, id, "--apply").text)
      }
      commands += reason.remedies.compactMap { $0.command(at: path) }
    }
    return commands.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension Explanation.Remedy {
  fileprivate func command(at path: String) -> String? {
    switch self {
    case .resolve(let id):
      Command("resolve", path, id.entityID, "--value JSON --apply").text
    case .abandon(let id):
      Command("abandon", path, id.entityID, "--reason TEXT --apply").text
    case .retry(let id): Command("retry", path, id.entityID, "--apply").text
    case .cancel(let id): Command("cancel", path, id.entityID, "--reason TEXT --apply").text
    case .park(let id): Command("park", path, id.entityID, "--apply").text
    case .force(let id): Command("force", path, id.entityID, "--value JSON --apply").text
    case .explain(let id): Command("explain", path, id.entityID).text
    case .invalidate(let id):
      Command("invalidate", path, id.entityID, "--reason TEXT --apply").text
    case .verify: "promise-ledger verify \(path.shellWord)"
    default: nil
    }
  }
}

/// A command line to paste into a shell.
private struct Command {
  let text: String

  init(_ verb: String, _ path: String, _ id: EntityID, _ options: String = "") {
    text = "promise-ledger \(verb) \(path.shellWord) \(id)" + (options.isEmpty ? "" : " \(options)")
  }
}
