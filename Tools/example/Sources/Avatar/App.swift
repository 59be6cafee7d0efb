import PromiseLedger

/// The app. Its commands are what the user and the system do to it.
@MainActor func runApp(ledgerPath: String) async throws {
  let ledger = try await AvatarService.openLedger(at: ledgerPath, as: .app)
  let model = AvatarViewModel(service: AvatarService(ledger: ledger))
  AvatarTextView(model: model).appear()
  try await model.showWhatWasMissed()
  for await command in commands() {
    let words = command.split(separator: " ").map(String.init)
    switch words.first {
    case "remove": model.removeAvatar(of: words[1])
    case "background":
      // An app does this inside a background task. Nothing is locked while it is suspended.
      try await ledger.freeze()
      say("froze the ledger")
    case "foreground":
      try await ledger.unfreeze()
      say("unfroze the ledger")
    default: say("does not know: \(command)")
    }
  }
  await ledger.close()
}
