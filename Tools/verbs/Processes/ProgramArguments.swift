import LedgerSystem

/// The words of the command line.
enum ProgramArguments {
  /// Refuses words that are not UTF-8: Swift repairs them silently, and a repaired path is a
  /// different path.
  static func check() throws(Status.Failure) {
    guard let number = ThisProcess.firstArgumentThatIsNoText else { return }
    throw Status.Failure(
      .usage, "Argument \(number) is not UTF-8. Give it in UTF-8.")
  }
}
