import ArgumentParser
import PromiseLedger

/// The app extension that the system starts when a push arrives.
struct ExtensionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extension",
    abstract: "Takes the server's answer and rejects the promise with it.")

  @Argument(help: "The ledger.")
  var ledger: String

  @Argument(help: "The directory through which requests and answers go.")
  var spool: Spool

  @Argument(help: "The address of the room.")
  var room: Room

  @Flag(help: "Tries to consume the outcome, too, which only the app may do.")
  var consumes = false

  func run() async throws {
    let say = Narrator("extension")
    guard let answer = try spool.answer(for: room) else {
      throw ValidationError("There is no answer for \(room.address).")
    }
    let ledger = try await Ledger.open(at: ledger, as: .appExtension)
    say("started by a push; opened the ledger")
    let promise = try ledger.promise(id: room.promiseKey.promiseID, of: Void.self)
    switch try await promise.reject(answer) {
    case .resolved: say("rejected the promise with the server's error \(answer.code)")
    case let other: throw ValidationError("The promise was not rejected now: \(other)")
    }
    if consumes { await tryToConsume(promise, say) }
    await ledger.close()
    say("ends")
  }

  private func tryToConsume(_ promise: DurablePromise<Void>, _ say: Narrator) async {
    do {
      try await promise.consume { _ in say("consumed the outcome, which must not be") }
    } catch {
      say("is refused: \(error)")
    }
  }
}
