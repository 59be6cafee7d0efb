import ArgumentParser
import PromiseLedger

/// The chat app: requests the removal, shows a spinner, and must end it in every case.
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Removes a room's avatar and shows the outcome.",
    discussion: """
      Reads the events of an app's life from standard input: 'suspend' when it goes to the \
      background, 'resume' when it comes back.
      """)

  @Argument(help: "The ledger.")
  var ledger: String

  @Argument(help: "The directory through which requests and answers go.")
  var spool: Spool

  @Argument(help: "The address of the room; without it, only leftovers are shown.")
  var room: Room?

  func run() async throws {
    let say = Narrator("app")
    let ledger = try await Ledger.open(
      at: ledger, as: .app, configuration: .withHandlers(saying: say))
    say("opened the ledger")
    let life = AppLife(ledger: ledger, say: say)
    let following = Task { try await life.follow() }
    try await showLeftovers(ledger, say)
    if let room { try await removeAvatar(of: room, ledger, say) }
    following.cancel()
    await ledger.close()
  }

  private func removeAvatar(of room: Room, _ ledger: Ledger, _ say: Narrator) async throws {
    let request = Request(for: room)
    let promise = try await ledger.batch { batch in
      let promise = try batch.createPromise(
        of: Void.self, label: "Remove the avatar of \(room.address)")
      try batch.createHandler(
        AvatarRemoved.self, ["room": room.address, "promise": promise],
        key: HandlerKey(request.id))
      return promise
    }
    say("promised to remove the avatar of \(room.address)")
    try spool.send(request)
    say("sent the request \(request.id); spinner on")
    try await promise.consume { outcome in say("shows: \(words(for: outcome)); spinner off") }
  }

  /// Shows the outcomes of requests whose app was killed.
  private func showLeftovers(_ ledger: Ledger, _ say: Narrator) async throws {
    for record in try await ledger.stalePromises() {
      say("found a stale promise: \(record.label ?? record.id.description)")
      let promise = try ledger.promise(id: record.id, of: Void.self)
      try await promise.consume { outcome in say("shows: \(words(for: outcome)); spinner off") }
    }
  }
}

/// The text that the user reads.
private func words(for outcome: PromiseOutcome<Void>) -> String {
  switch outcome {
  case .fulfilled: return "the avatar is removed"
  case .rejected(let error):
    guard let refusal = error.decode(as: ServerError.self) else { return "\(error)" }
    return "the server says \(refusal.code) \(refusal.condition): \(refusal.text)"
  case .cancelled(let reason): return "cancelled: \(reason)"
  case .timedOut: return "no answer came in time"
  }
}
