import ArgumentParser
import PromiseLedger

/// The app extension that the system starts when a push arrives.
struct ExtensionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extension",
    abstract: "Calls the handlers that wait for the server's answers.")

  @Argument(help: "The ledger.")
  var ledger: String

  @Argument(help: "The directory through which requests and answers go.")
  var spool: Spool

  @Flag(help: "Tries to consume the outcome, too, which only the app may do.")
  var consumes = false

  func run() async throws {
    let say = Narrator("extension")
    let answers = try spool.answers()
    guard !answers.isEmpty else { throw ValidationError("There is no answer.") }
    let ledger = try await Ledger.open(
      at: ledger, as: .appExtension, configuration: .withHandlers(saying: say))
    say("started by a push; opened the ledger")
    for stanza in answers {
      let handler = ledger.handler(forKey: try stanza.handlerKey)
      try await deal(with: stanza, handler, say)
      // Not earlier: if this process dies first, the answer comes again, and the ledger recognizes
      // it.
      try spool.remove(stanza)
      if consumes { try await tryToConsume(handler, in: ledger, say) }
    }
    await ledger.close()
    say("ends")
  }

  private func deal(
    with stanza: Stanza, _ handler: DurableHandler, _ say: Narrator
  ) async throws {
    say("calls the handler of \(stanza.id) with the server's stanza")
    do {
      let result = try await handler.call(["stanza": stanza])
      guard result.effects.allSatisfy(\.verdict.isSuccess) else {
        throw ValidationError("The promise was not rejected now: \(result.effects)")
      }
      say("the call is finished, and the promise rejected with it")
    } catch let error as LedgerError where error.code == .handlerFinished {
      say("the handler was called before")
    }
  }

  private func tryToConsume(
    _ handler: DurableHandler, in ledger: Ledger, _ say: Narrator
  ) async throws {
    guard let id = try await handler.record?.references.promises.first else {
      throw ValidationError("The handler has no promise.")
    }
    do {
      let promise = try ledger.promise(id: id, of: Void.self)
      try await promise.consume { _ in say("consumed the outcome, which must not be") }
    } catch let error as LedgerError {
      say("is refused: \(error)")
    }
  }
}
