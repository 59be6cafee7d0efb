import Testing

@Suite struct IdempotencyTableTests {
  @Test func theTableHas324DifferentRows() {
    #expect(IdempotencyTable.rows.count == 324)
    #expect(Set(IdempotencyTable.rows.map(\.combination)).count == 324)
  }

  @Test func noRefusalAndNoDeduplicationOfTheTableChangesWhatIsStored() {
    for row in IdempotencyTable.rows {
      switch row.expected.verdict {
      case .created, .resolved: #expect(row.expected.after != row.stored, "\(row)")
      default: #expect(row.expected.after == row.stored, "\(row)")
      }
    }
  }
}

extension IdempotencyTable.Row {
  fileprivate struct Combination: Hashable {
    let stored: IdempotencyOracle.Stored
    let request: IdempotencyOracle.Request
  }

  fileprivate var combination: Combination { Combination(stored: stored, request: request) }
}
