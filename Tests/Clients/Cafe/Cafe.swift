import Foundation
import PromiseLedger

@main struct Cafe {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      say("cafe: \(error)")
    }
  }

  static func run(_ words: [String]) async throws {
    switch words.first {
    case "order" where words.count == 3: try await order(words[2], number: words[1])
    case "serve" where words.count == 3: try await serve(Int(words[2]) ?? 0, number: words[1])
    case "start": try await start()
    default: say("usage: cafe order NUMBER DRINK | serve NUMBER TABLE | start")
    }
  }

  /// The guest: orders a drink and waits for it.
  static func order(_ drink: String, number: String) async throws {
    let ledger = try await openLedger(as: .app)
    let promise = try await ledger.batch { batch in
      let promise = try batch.createPromise(of: String.self, label: "Order \(number): \(drink)")
      try batch.createHandler(
        OrderReady.self, ["drink": drink, "promise": promise], key: HandlerKey(number))
      return promise
    }
    say("Ordered: \(drink). Process \(ProcessInfo.processInfo.processIdentifier) waits.")
    try await promise.consume { outcome in say(text(for: outcome)) }
    await ledger.close()
  }

  /// The kitchen: calls the handler of the order with what only the kitchen knows.
  static func serve(_ table: Int, number: String) async throws {
    let ledger = try await openLedger(as: .appExtension)
    try await ledger.handler(forKey: HandlerKey(number)).call(["table": table])
    say("Served order \(number).")
    await ledger.close()
  }

  /// The guest comes back: shows what came while no process of the guest was there.
  static func start() async throws {
    let ledger = try await openLedger(as: .app)
    for record in try await ledger.stalePromises() {
      let promise = try ledger.promise(id: record.id, of: String.self)
      try await promise.consume { outcome in
        say("While you were away: \(text(for: outcome)) (\(record.label ?? ""))")
      }
    }
    await ledger.close()
  }

  static func openLedger(as role: SessionRole) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(OrderReady.self)
    return try await Ledger.open(at: "cafe.ledger", as: role, configuration: configuration)
  }

  static func text(for outcome: PromiseOutcome<String>) -> String {
    switch outcome {
    case .fulfilled(let text): text
    case .rejected(let error): "Sorry: \(error.message)"
    case .cancelled(let reason): "Cancelled: \(reason)"
    case .timedOut: "The kitchen did not answer in time."
    }
  }

  /// Prints a line at once, also into a pipe.
  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
