import LedgerLMDB
import Testing

/// Lookups and walks, against the plain array that they must agree with.
@Suite(.timeLimit(.minutes(10))) struct ScanTests {
  let scratch: ScratchDirectory
  let environment: Environment
  static let stored: [UInt64] = [2, 4, 6, 256, 65_536, .max - 1]
  static let probes: [UInt64] = [0, 1, 2, 3, 4, 5, 6, 7, 255, 256, 257, 65_537, .max - 2, .max]

  init() throws {
    scratch = try ScratchDirectory()
    environment = try scratch.open()
    try environment.write { transaction in
      for key in Self.stored {
        try transaction.put([UInt8(key % 251)].span, forKey: key, in: environment.log, append: true)
      }
    }
  }

  @Test func theEntriesAtTheEndsAreThoseOfTheOrder() throws {
    try environment.read { transaction in
      guard let first = try transaction.firstEntry(in: environment.log),
        let last = try transaction.lastEntry(in: environment.log)
      else {
        Issue.record("the table has no ends")
        return
      }
      let keys = [first.key, last.key]
      #expect(keys == [2, .max - 1])
      let values = [first.value.bytesArray, last.value.bytesArray]
      #expect(values == keys.map { [UInt8($0 % 251)] })
    }
  }

  @Test func anEmptyTableHasNoEntries() throws {
    try environment.write { try $0.empty(environment.log) }
    try environment.read { transaction in
      let hasFirst = try transaction.firstEntry(in: environment.log) != nil
      #expect(!hasFirst)
      let hasLast = try transaction.lastEntry(in: environment.log) != nil
      #expect(!hasLast)
      let floor = try transaction.floorKey(5, in: environment.log)
      #expect(floor == nil)
    }
  }

  @Test(arguments: probes) func floorIsTheHighestKeyAtOrBelow(probe: UInt64) throws {
    let expected = Self.stored.last { $0 <= probe }
    try environment.read { transaction in
      let floor = try transaction.floorKey(probe, in: environment.log)
      #expect(floor == expected)
    }
  }

  @Test(arguments: probes, [0, 1, 3, Int.max])
  func aScanVisitsEntriesAboveItsStartUpToItsLimit(start: UInt64, limit: Int) throws {
    var visited: [UInt64] = []
    try environment.read { transaction in
      try transaction.scan(environment.log, from: start, limit: limit) { key, value in
        #expect(value.bytesArray == [UInt8(key % 251)])
        visited.append(key)
        return true
      }
    }
    #expect(visited == Array(Self.stored.filter { $0 >= start }.prefix(limit)))
  }

  @Test func aScanStopsWhenItsBodySaysSo() throws {
    var visited = 0
    try environment.read { transaction in
      try transaction.scan(environment.log) { _, _ in
        visited += 1
        return visited < 2
      }
    }
    #expect(visited == 2)
  }

  @Test func aScanRethrowsTheErrorOfItsBody() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try environment.read { transaction in
        try transaction.scan(environment.log) { _, _ in throw Stop() }
      }
    }
  }

  @Test func aByteKeyScanGoesFromItsStartInByteOrder() throws {
    let names = ["a", "ab", "b", "ba", "c"]
    try environment.write { transaction in
      for name in names.reversed() {
        try transaction.put([1].span, forKey: Array(name.utf8).span, in: environment.names)
      }
    }
    for start in ["", "a", "aa", "b", "bz", "d"] {
      var visited: [String] = []
      let from = Array(start.utf8)
      try environment.read { transaction in
        try transaction.scan(environment.names, fromKey: from.span) { key, _ in
          visited.append(String(decoding: key.bytesArray, as: UTF8.self))
          return true
        }
      }
      #expect(visited == names.filter { $0 >= start }, "from \(start)")
    }
  }
}
