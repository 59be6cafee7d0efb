/// What became of a look whether arguments can be decoded.
struct ArgumentProbe {
  private let notes: DecodingNotes
  /// Whether all parameters were asked for.
  private let sawAll: Bool
  /// What keeps the arguments from being decoded, or `nil` if nothing is known.
  let problem: LedgerError?

  init(notes: DecodingNotes, sawAll: Bool, problem: LedgerError?) {
    self.notes = notes
    self.sawAll = sawAll
    self.problem = problem
  }

  /// Whether a name is one of a parameter, as far as can be told.
  func mayHaveParameter(_ name: String) -> Bool {
    // A type that asked for no keys at all, and did not fail before it could, has no parameters.
    notes.nameTests.isEmpty ? !sawAll : notes.nameTests.contains { $0(name) }
  }

  /// The parameters that are known, for people.
  var parameterList: String {
    guard sawAll else { return (notes.names + ["others"]).joined(separator: ", ") }
    return notes.names.isEmpty ? "none" : notes.names.joined(separator: ", ")
  }
}
