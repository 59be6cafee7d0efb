import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// The check of an entity against the entry that lists it, which makes as few entries as it can.
@Suite(.timeLimit(.minutes(10))) struct ListedEntityTests {
  private static func entities(seed: UInt64) -> [LedgerEntity] {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }
    return writer.ledger.state.overlaid
  }

  @Test(arguments: TestAmount.seeds(20))
  func everyEntryOfAnEntityFits(seed: UInt64) throws {
    for entity in Self.entities(seed: seed) {
      for entry in entity.openEntries { try entry.check(entity) }
    }
  }

  @Test(arguments: TestAmount.seeds(4))
  func anEntryThatDiffersInOneByteDoesNotFit(seed: UInt64) {
    for entity in Self.entities(seed: seed) {
      for entry in entity.openEntries {
        for index in entry.key.indices {
          var key = entry.key
          key[index] ^= 1
          expectCorrupt(OpenEntry(key: key, value: entry.value), of: entity)
        }
        for index in entry.value.indices {
          var value = entry.value
          value[index] ^= 1
          expectCorrupt(OpenEntry(key: entry.key, value: value), of: entity)
        }
        expectCorrupt(OpenEntry(key: entry.key, value: entry.value + [0]), of: entity)
        expectCorrupt(OpenEntry(key: entry.key, value: entry.value.dropLast()), of: entity)
      }
    }
  }

  /// The entry of an older state, as a write that was lost leaves it.
  @Test func theEntryOfAnOlderStateDoesNotFit() throws {
    var ledger = PureLedger()
    try ledger.commit(OpenSession(.sample()))
    try ledger.commit(
      CreatePromise(
        id: .numbered(1), creation: PromiseCreated(typeTag: "t"), isStrict: true))
    let pending = try #require(ledger.state.overlaid(PromiseID.numbered(1).entityID))
    try ledger.commit(ResolvePromise(.numbered(1), .fulfilled))
    let resolved = try #require(ledger.state.overlaid(PromiseID.numbered(1).entityID))
    try ledger.commit(ConsumePromise(id: .numbered(1), delivery: .recordedBefore))
    let consumed = try #require(ledger.state.overlaid(PromiseID.numbered(1).entityID))
    let states = [pending, resolved, consumed]
    for older in states {
      for newer in states where newer != older {
        for entry in older.openEntries { expectCorrupt(entry, of: newer) }
      }
    }
  }

  private func expectCorrupt(
    _ entry: OpenEntry, of entity: LedgerEntity,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard !entity.openEntries.contains(entry) else { return }
    #expect("\(entry) of \(entity)", sourceLocation: sourceLocation) {
      try entry.check(entity)
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }
}
