import ArgumentParser
import Foundation

/// The confirmation of a change.
struct ConfirmationOptions: ParsableArguments {
  @Flag(help: "Do not ask for confirmation. Needed if standard input is no terminal.")
  var yes = false

  /// Asks a person at the terminal.
  ///
  /// - Throws: ``Status/Failure`` without confirmation.
  func confirm(_ intention: String) throws {
    guard !yes else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw Status.Failure(
        .usage, "\(intention) Standard input is no terminal to confirm that: add --yes.")
    }
    StandardError.ask("\(intention) Go on? [y/N] ")
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw Status.Failure(.findings, "Nothing was changed.")
    }
  }
}
