@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The opening of a session, written by another one, so that many need no processes of their own.
struct OpenForeignSession: Command {
  let id: SessionID

  func decide(in decision: inout Decision) throws(LedgerError) {
    try decision.append(
      SessionOpened(
        role: .appExtension, processID: .max, instance: "main", host: "host",
        libraryVersion: "0.1.0"),
      to: id.entityID)
  }
}
