import ArgumentParser

extension Int? {
  /// Checks the option `--limit` of a command.
  func checkLimit() throws {
    if let self, self < 0 { throw ValidationError("The limit must not be negative.") }
  }
}
