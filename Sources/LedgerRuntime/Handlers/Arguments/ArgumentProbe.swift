/// The result of checking whether arguments can be decoded.
struct ArgumentProbe {
  private let notes: DecodingNotes
  /// Whether the type requested all its parameters.
  private let sawAll: Bool
  /// The problem that prevents decoding the arguments, or `nil` if none is known.
  let problem: LedgerError?

  init(notes: DecodingNotes, sawAll: Bool, problem: LedgerError?) {
    self.notes = notes
    self.sawAll = sawAll
    self.problem = problem
  }

  /// Whether a name may be that of a parameter, as far as is known.
  func mayHaveParameter(_ name: String) -> Bool {
    // A type that requested no keys, and did not fail before it could, has no parameters.
    notes.nameTests.isEmpty ? !sawAll : notes.nameTests.contains { $0(name) }
  }

  /// The known parameters, in human-readable form.
  var parameterList: String {
    guard sawAll else { return (notes.names + ["others"]).joined(separator: ", ") }
    return notes.names.isEmpty ? "none" : notes.names.joined(separator: ", ")
  }
}
