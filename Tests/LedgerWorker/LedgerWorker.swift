import PromiseLedger

/// A process for the crash tests to stop, kill and fail: `ledger-worker VERB PATH ARGUMENT...`.
///
/// Its output goes to standard output, a line at a time, each in one call of `write`, so that every
/// line printed before a kill is complete.
@main
struct LedgerWorker {
  static func main() async {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    do {
      let verb = try arguments.next("verb")
      let path = try arguments.next("path")
      switch verb {
      case "append": try await Append(path, &arguments).run()
      case "back-up": try await BackUp(path, &arguments).run()
      case "churn": try await Churn(path, &arguments).run()
      case "compact": try await Compact(path, &arguments).run()
      case "compact-again": try await CompactAgain(path, &arguments).run()
      case "compact-full": try await CompactFull(path, &arguments).run()
      case "end-errands": try await EndErrands(path, &arguments).run()
      case "fill": try await Fill(path, &arguments).run()
      case "fixture": try await Fixture(path).run()
      case "fixture-recorded": try await RecordedFixture(path).run()
      case "fixture-work": try await WorkFixture(path).run()
      case "follow": try await Follow(path, &arguments).run()
      case "fork": try await Forked(path).run()
      case "fork-busily":
        try await Forked(path).runBusily(rounds: try arguments.number("rounds"))
      case "handle": try await Handle(path, &arguments).run()
      case "histories": try await Histories(path, &arguments).run()
      case "live": try await Live(path, &arguments).run()
      case "make-errands": try await MakeErrands(path, &arguments).run()
      case "power-audit": try await PowerAudit(path, &arguments).run()
      case "power-helper": try await PowerHelper(path).run()
      case "power-trial": try await PowerTrial(path, &arguments).run()
      case "race": try await Race(path, &arguments).run()
      case "rights": try await Rights(path, &arguments).run()
      case "script": try await Script(path, &arguments).run()
      case "serve": try await Serve(path, &arguments).run()
      case "shrink": try await Shrink(path, &arguments).run()
      case "toil": try await Toil(path, &arguments).run()
      default: throw UsageError(what: "no verb \(verb)")
      }
    } catch {
      Output.fail(error)
    }
  }
}

/// The words of the command line, taken one after the other.
struct Arguments {
  private var words: ArraySlice<String>

  init(_ words: ArraySlice<String>) { self.words = words }

  mutating func next(_ name: String) throws -> String {
    guard let word = words.popFirst() else { throw UsageError(what: "\(name) is missing") }
    return word
  }

  mutating func number(_ name: String) throws -> Int {
    let word = try next(name)
    guard let number = Int(word) else { throw UsageError(what: "\(name) \(word) is no number") }
    return number
  }

  mutating func role() throws -> SessionRole {
    switch try next("role") {
    case "app": .app
    case "appExtension": .appExtension
    case "operator": .operator
    case let word: throw UsageError(what: "no role \(word)")
    }
  }

  /// All that is left.
  mutating func rest() -> [String] {
    defer { words = [] }
    return Array(words)
  }

  /// Whether the word is among the rest.
  func has(_ flag: String) -> Bool { words.contains(flag) }
}

struct UsageError: Error {
  let what: String
}
