package import PromiseLedger
package import Testing

/// Expects an error with a code, which names all of `words`.
package func expectError(
  _ code: LedgerError.Code, naming words: [String] = [],
  sourceLocation: Testing.SourceLocation = #_sourceLocation, _ body: () async throws -> some Any
) async {
  do {
    let value = try await body()
    Issue.record("no error, but \(value)", sourceLocation: sourceLocation)
  } catch let error as LedgerError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    for word in words {
      #expect(
        error.description.contains(word), "\(word) is not in: \(error)",
        sourceLocation: sourceLocation)
    }
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
}
