import LedgerPromises
import PromiseLedger

/// An app with a page that shows one picture.
func runGallery(ledgerPath: String, patience: Duration) async throws {
  let ledger = try await Ledger.open(at: ledgerPath, as: .app)
  let downloads = Downloads(ledger: ledger, patience: patience)
  let page = CancellationToken()
  let picture = Promise { try await downloads.picture(named: "cat", cancelledBy: page) }
  picture.catch(includingCancellation: true) { error in say("no picture: \(error)") }
  for await command in commands() {
    switch command {
    case "close page": page.cancel("the page was closed")
    case "show": say("shows \(try await picture.value.consume().path)")
    default: say("does not know: \(command)")
    }
  }
  await ledger.close()
}
