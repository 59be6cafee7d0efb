import LedgerLMDB
import Testing

/// Puts with one cursor store the same entries as single puts.
@Suite(.timeLimit(.minutes(10))) struct SortedWriterTests {
  let scratch: ScratchDirectory
  let environment: Environment

  init() throws {
    scratch = try ScratchDirectory()
    environment = try scratch.open()
  }

  private func putSorted(_ entries: [(key: [UInt8], value: [UInt8])]) throws {
    try environment.write { transaction in
      try transaction.putSorted(in: environment.names) { writer in
        for entry in entries { try writer.put(entry.value.span, forKey: entry.key.span) }
      }
    }
  }

  private func entries() throws -> [[[UInt8]]] {
    try environment.read { transaction in
      var entries: [[[UInt8]]] = []
      let start: [UInt8] = []
      try transaction.scan(environment.names, fromKey: start.span) { key, value in
        entries.append([key.bytesArray, value.bytesArray])
        return true
      }
      return entries
    }
  }

  @Test func entriesGoBetweenBeforeAndAfterThoseThatAreThere() throws {
    try putSorted([([1], [1]), ([2], [2]), ([2, 0], [3])])
    try putSorted([([0], [4]), ([1, 9], [5]), ([2], [6]), ([2, 0, 0], [7]), ([3], [8])])
    #expect(
      try entries() == [
        [[0], [4]], [[1], [1]], [[1, 9], [5]], [[2], [6]], [[2, 0], [3]], [[2, 0, 0], [7]],
        [[3], [8]],
      ])
  }

  @Test func manyRoundsOfManyEntriesAreAllThere() throws {
    var expected: [[UInt8]: [UInt8]] = [:]
    var word: UInt32 = 1
    for round in 0..<20 {
      var slice: [[UInt8]: [UInt8]] = [:]
      for number in 0..<500 {
        word = word &* 1_664_525 &+ 1_013_904_223
        // Half of them are in the order of rounds, like ids made from time.
        let first = number.isMultiple(of: 2) ? UInt8(round) : UInt8(truncatingIfNeeded: word >> 8)
        let key = [first] + (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        slice[key] = [UInt8](repeating: UInt8(round), count: 1 + number % 300)
      }
      try putSorted(
        slice.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value) })
      expected.merge(slice) { _, new in new }
    }
    let sorted = expected.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    #expect(try entries() == sorted.map { [$0.key, $0.value] })
  }

  @Test func entriesInOrderFillTheirPages() throws {
    let value = [UInt8](repeating: 7, count: 200)
    for round in 0..<40 {
      try putSorted((0..<50).map { ([UInt8(round), UInt8($0)], value) })
    }
    let statistics = try environment.read { try $0.statistics(of: environment.names) }
    #expect(statistics.entries == 2_000)
    // 19 of these entries fit into a page.
    #expect(statistics.leafPages <= 2_000 / 19 + 1)
  }

  @Test func aKeyOutOfOrderAfterTheLastIsRefused() throws {
    let error = lmdbError { try putSorted([([5], [1]), ([4], [1])]) }
    #expect(error?.status == .keyExists)
    #expect(try entries().isEmpty)
  }

  @Test func aTableOfIntegerKeysIsRefused() throws {
    let error = lmdbError {
      try environment.write { try $0.putSorted(in: environment.log) { _ in } }
    }
    guard case .badKey? = error?.refusal else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
