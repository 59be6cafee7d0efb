package import ArgumentParser

/// Options of a command that works in a process of its own.
///
/// A group of options contains no other one: a build for debugging has the parser check a group five times for each
/// time that it checks the group around it, at every start.
package protocol PatienceOptions: ParsableArguments {
  /// How long the command may make no progress, in seconds.
  var timeout: Double { get }
}

extension PatienceOptions {
  /// How often silent work shows that it is still running: well within the timeout.
  package var pulseInterval: Duration { .seconds(min(1, timeout / 4)) }

  package func validate() throws { try checkTimeout() }

  package func checkTimeout() throws {
    guard timeout >= 0.1, timeout <= 86_400 else {
      throw ValidationError("The timeout must be between 0.1 and 86400 seconds.")
    }
  }
}

/// The option of a command that reads no ledger.
struct PatienceOption: PatienceOptions {
  @Option(help: .timeout)
  var timeout = 30.0
}

extension ArgumentHelp {
  /// The help of the option that each ``PatienceOptions`` has.
  package static let timeout = ArgumentHelp(
    "How long the command may make no progress before it is ended.", valueName: "seconds")
}
