/// The answers come while the app is suspended.
func playSuspendedApp(_ ledger: String) async throws {
  say("\nThe app is suspended while it waits")
  let app = try Child("app", ledger)
  for refusal in [onlyOwners, nil] {
    let request = try await removal(by: app)
    try app.command("background")
    try await app.says("froze the ledger")
    app.suspend()
    let appExtension = try push(Stanza(request: request, refusal: refusal), to: ledger)
    try await appExtension.says(refusal == nil ? "the handler fulfils" : "the handler rejects")
    try await appExtension.end()
    app.resume()
    try app.command("foreground")
    try await app.says("unfroze the ledger")
    if let refusal { try await app.says("shows: \(refusal.text)") }
    try await app.says("spinner off")
  }
  try await app.end()
}

/// The answer comes after the app was killed. Its next start finds it in the ledger.
func playKilledApp(_ ledger: String) async throws {
  say("\nThe app is killed while it waits")
  let app = try Child("app", ledger)
  let request = try await removal(by: app)
  tell("system", "kills the app")
  try await app.die()
  let appExtension = try push(Stanza(request: request, refusal: onlyOwners), to: ledger)
  try await appExtension.says("the handler rejects")
  try await appExtension.end()
  tell("user", "starts the app anew")
  let newApp = try Child("app", ledger)
  try await newApp.says("found a stale promise: Remove the avatar of garden@example.org")
  try await newApp.says("shows: \(onlyOwners.text)")
  try await newApp.end()
}

private let onlyOwners = ServerError(code: 403, text: "Only owners may change the avatar.")

/// Presses the button in the app, and gives the id of the request back that the server gets.
private func removal(by app: Child) async throws -> String {
  tell("user", "removes the avatar")
  try app.command("remove garden@example.org")
  let lines = try await app.says("spinner on", "sent request-")
  return String(lines[1].dropFirst("sent ".count))
}
