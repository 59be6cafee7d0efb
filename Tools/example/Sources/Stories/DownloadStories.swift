/// A page is closed, an app is killed, and the picture is downloaded once.
func playDownloads(_ ledger: String) async throws {
  say("\nThe page is closed while the server does not answer")
  let closed = try Child("gallery", ledger, "30000")
  try await closed.says("attempt 1")
  try closed.command("close page")
  try await closed.says("no picture", "closed the connection")
  try await closed.end()

  say("\nThe download needs three attempts, and the app is killed before it shows the picture")
  let killed = try Child("gallery", ledger, "100")
  try await killed.says(
    "attempt 1", "closed the connection", "attempt 1 failed: tooSlow", "attempt 2",
    "attempt 2 failed: busy", "attempt 3")
  try await killed.says("kept the picture")
  try await killed.die()

  say("\nThe next start does not download again")
  let restarted = try Child("gallery", ledger, "100")
  try await restarted.says("the ledger has the picture")
  try restarted.command("show")
  try await restarted.says("shows pictures/cat")
  try await restarted.end()
}
