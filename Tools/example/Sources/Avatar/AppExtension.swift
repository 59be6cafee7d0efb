import Foundation
import PromiseLedger

/// The extension, which the system starts with a push while the app is suspended or gone.
func runExtension(ledgerPath: String, push: String) async throws {
  let stanza = try JSONDecoder().decode(Stanza.self, from: Data(push.utf8))
  let ledger = try await AvatarService.openLedger(at: ledgerPath, as: .appExtension)
  try await ledger.handler(forKey: HandlerKey(stanza.request)).call(["stanza": stanza])
  await ledger.close()
}
