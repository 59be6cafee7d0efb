import Foundation
import PromiseLedger

/// A program of a build that does not know work: `older-writer VERB PATH ARGUMENT...`.
///
/// It uses a ledger in which there is work, as if it were not there, and ends with an error if work is not
/// refused, or anything else is.
@main
struct OlderWriter {
  static func main() async {
    var words = CommandLine.arguments.dropFirst()
    do {
      guard let verb = words.popFirst(), let path = words.popFirst() else {
        throw Surprise("A verb and a path are missing.")
      }
      var configuration = LedgerConfiguration()
      configuration.automaticCompaction = nil
      try configuration.handlers.register(Greet.self)
      try configuration.handlers.register(Meddle.self)
      let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
      switch verb {
      // Uses promises and handlers: `write PATH NAME`.
      case "write": try await Life(ledger: ledger, name: words.first ?? "").live()
      // Tries everything on promises of work: `meddle PATH ID=KEY...`.
      case "meddle": try await Meddling(ledger: ledger).meddle(with: Array(words))
      // Fulfils promises: `fulfill PATH KEY...`.
      case "fulfill":
        for key in words {
          let promise = try await ledger.findOrCreatePromise(key: PromiseKey(key), of: String.self)
          try require(try await promise.fulfill("older").isSuccess, "\(key) is fulfilled")
        }
      // Writes until standard input ends, and compacts now and then: `busy PATH NAME ARCHIVES`.
      case "busy":
        try await Business(
          ledger: ledger, name: words.popFirst() ?? "", archives: words.popFirst() ?? ""
        ).run()
      default: throw Surprise("There is no verb \(verb).")
      }
      await ledger.close()
    } catch {
      print("older-writer: \(error)")
      exit(1)
    }
  }
}

/// What the program did not expect.
struct Surprise: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func require(_ isTrue: Bool, _ what: String) throws {
  guard isTrue else { throw Surprise("Expected: \(what).") }
}

/// A handler that makes a promise.
struct Greet: LedgerHandler {
  static let kind = "greet"
  let promise: DurablePromise<String>

  func run(in call: HandlerCall<Void>) throws -> String {
    try call.fulfill(promise, "greeted", required: true)
    _ = try call.createPromise(of: String.self, label: "made by a handler")
    return "hello"
  }
}

/// A handler that tries to settle the promise of work; the current build made it.
struct Meddle: LedgerHandler {
  static let kind = "meddle"
  let promise: DurablePromise<String>

  func run(in call: HandlerCall<Void>) throws {
    try call.fulfill(promise, "from a handler", required: false)
  }
}
