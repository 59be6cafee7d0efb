import Foundation
import PromiseLedger

/// A chat app asks its server to remove the avatars of two rooms. The first answer finds the app frozen,
/// the second one finds it gone.
@main @MainActor struct AvatarApp {
  let path: String
  let server = Server()

  static func main() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "avatar-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await AvatarApp(path: directory.appending(path: "ledger").path).run()
  }

  func run() async throws {
    let model = AvatarModel()
    await model.load("garden@example.org", from: server).value
    print("picture: \(model.picture)")

    let app = try await open(as: .app)
    let shown = model.show(try await ask(app, room: "garden@example.org", request: "iq-1"))
    try await app.freeze()
    try await answer(Stanza(id: "iq-1", refusal: nil))
    try await app.unfreeze()
    await shown.value
    print("picture: \"\(model.picture)\", message: \(model.message)")

    _ = try await ask(app, room: "kitchen@example.org", request: "iq-2")
    await app.close()
    try await answer(
      Stanza(id: "iq-2", refusal: Refusal(text: "Only owners may change the avatar.")))
    try await startAgain()
  }

  /// The app, with the request: stores the promise and its handler in one commit.
  private func ask(
    _ ledger: Ledger, room: String, request: String
  ) async throws -> DurablePromise<Void> {
    try await ledger.batch { batch in
      let promise = try batch.createPromise(
        of: Void.self, label: "Remove the avatar of \(room)", deadline: .now + .seconds(3600))
      try batch.createHandler(
        AvatarRemoved.self, ["room": room, "promise": promise], key: HandlerKey(request))
      return promise
    }
  }

  /// The extension, with the answer: calls the handler.
  private func answer(_ stanza: Stanza) async throws {
    let ledger = try await open(as: .appExtension)
    try await ledger.handler(forKey: HandlerKey(stanza.id)).call(["stanza": stanza])
    await ledger.close()
  }

  /// The app after its end: shows the outcomes that came while it was gone.
  private func startAgain() async throws {
    let model = AvatarModel()
    let ledger = try await open(as: .app)
    for record in try await ledger.stalePromises() {
      await model.show(try ledger.promise(id: record.id, of: Void.self)).value
      print("\(record.label ?? ""): \(model.message)")
    }
    await ledger.close()
  }

  private func open(as role: SessionRole) async throws -> Ledger {
    let server = server
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(AvatarRemoved.self) { server }
    return try await Ledger.open(at: path, as: role, configuration: configuration)
  }
}
