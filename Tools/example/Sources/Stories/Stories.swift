import Foundation

/// Plays all stories in a temporary directory, and throws if a line of theirs is missing.
func playStories() async throws {
  // A command to a process that died is an error then, and not the end of this one.
  signal(SIGPIPE, SIG_IGN)
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("promise-ledger-example-\(UUID())").path
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  let ledger = directory + "/ledger"
  try await playSuspendedApp(ledger)
  try await playKilledApp(ledger)
  try await playDownloads(directory + "/gallery")
  say("\nEverything happened as it should.")
}

/// The system's push: starts the extension with the server's answer to a request.
func push(_ stanza: Stanza, to ledger: String) throws -> Child {
  tell("system", "starts the extension with the server's answer")
  let json = String(decoding: try JSONEncoder().encode(stanza), as: UTF8.self)
  return try Child("extension", ledger, json)
}
