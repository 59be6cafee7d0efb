import ArgumentParser
import LedgerRuntime

/// Whether a change is made, and why.
struct ApplyOptions: ParsableArguments {
  @Flag(
    name: [.customLong("apply"), .customLong("yes")],
    help: "Make the change. Without this, the command prints what it would change.")
  var apply = false

  @Option(
    help: ArgumentHelp(
      "The reason, at most 2048 bytes. The ledger records up to 128 bytes of it as the instance of the operator's session.",
      valueName: "text"))
  var reason: String?

  /// The reason, for a change that cannot be made without one.
  func requireReason() throws {
    guard reason != nil else { throw ValidationError("Give the reason with --reason.") }
  }
}
