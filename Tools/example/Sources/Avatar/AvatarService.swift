import Foundation
import LedgerPromises
import PromiseLedger

/// The app's requests about avatars.
struct AvatarService: Sendable {
  let ledger: Ledger

  /// Opens the ledger. All processes register the handlers that they may be asked to run.
  static func openLedger(at path: String, as role: SessionRole) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(AvatarRemoved.self)
    return try await Ledger.open(at: path, as: role, configuration: configuration)
  }

  /// Asks the server to remove the avatar of a room. A view can call this: it is not `async`.
  func removeAvatar(of room: String) -> Promise<Void> {
    Promise { try await request(room) }.then { $0.promise }
  }

  /// Stores the promise and what resolves it, and sends the request after that: an answer that comes
  /// at once finds its handler.
  private func request(_ room: String) async throws -> DurablePromise<Void> {
    let id = "request-\(UUID())"
    // One commit: if the app is killed here, there are both or neither.
    let promise = try await ledger.batch { batch in
      let promise = try batch.createPromise(
        of: Void.self, label: "Remove the avatar of \(room)",
        // A spinner must end even if the server never answers.
        deadline: ledger.now + .seconds(3600))
      try batch.createHandler(
        AvatarRemoved.self, ["room": room, "promise": promise], key: HandlerKey(id))
      return promise
    }
    // A real app writes to its connection here.
    say("sent \(id)")
    return promise
  }
}
