import LedgerLMDB
import LedgerTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RoundTripTests {
  let scratch: ScratchDirectory
  let environment: Environment

  init() throws {
    scratch = try ScratchDirectory()
    environment = try scratch.open()
  }

  @Test func anIntegerKeyedValueComesBack() throws {
    try environment.store([1, 2, 3], 7)
    #expect(try environment.load(7) == [1, 2, 3])
    #expect(try environment.load(8) == nil)
  }

  @Test func anEmptyValueComesBackAsEmpty() throws {
    try environment.store([], 7)
    #expect(try environment.load(7) == [])
  }

  @Test func aByteKeyedValueComesBack() throws {
    let key: [UInt8] = Array("name".utf8)
    let value: [UInt8] = [9]
    try environment.write { try $0.put(value.span, forKey: key.span, in: environment.names) }
    let found = try environment.read { transaction -> [UInt8]? in
      guard let value = try transaction.value(forKey: key.span, in: environment.names) else {
        return nil
      }
      return value.bytesArray
    }
    #expect(found == value)
  }

  @Test(arguments: [0, 512]) func aByteKeyOfAnImpossibleSizeIsRefused(size: Int) throws {
    let key = [UInt8](repeating: 1, count: size)
    let error = lmdbError {
      try environment.write { try $0.put(key.span, forKey: key.span, in: environment.names) }
    }
    guard case .badKey? = error?.refusal else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [1, 511]) func aByteKeyOfALimitSizeIsStored(size: Int) throws {
    let key = [UInt8](repeating: 1, count: size)
    try environment.write { try $0.put(key.span, forKey: key.span, in: environment.names) }
    let count = try environment.read { try $0.count(of: environment.names) }
    #expect(count == 1)
  }

  @Test func anIntegerKeyInATableOfByteKeysIsRefused() throws {
    let error = lmdbError {
      try environment.write { transaction in
        try transaction.put([1].span, forKey: 1, in: environment.names)
      }
    }
    #expect(error?.status == .refused)
  }

  @Test func appendingOutOfOrderIsRefused() throws {
    try environment.store([1], 10, append: true)
    #expect(lmdbError { try environment.store([1], 10, append: true) }?.status == .keyExists)
    #expect(lmdbError { try environment.store([1], 9, append: true) }?.status == .keyExists)
    #expect(try environment.keys() == [10])
  }

  @Test func putReplaces() throws {
    try environment.store([1], 1)
    try environment.store([2, 3], 1)
    #expect(try environment.load(1) == [2, 3])
  }

  @Test func aWriteTransactionReadsItsOwnWrites() throws {
    try environment.write { transaction in
      try transaction.put([5].span, forKey: 5, in: environment.log)
      let floor = try transaction.floorKey(.max, in: environment.log)
      #expect(floor == 5)
    }
  }

  @Test func aThrowingBodyLeavesNothing() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try environment.write { transaction in
        try transaction.put([1].span, forKey: 1, in: environment.log)
        throw Refusal()
      }
    }
    #expect(try environment.keys() == [])
  }

  @Test func aBodyThatDecidesToAbortLeavesNothingAndReturnsItsValue() throws {
    let answer = try environment.writeDeciding { transaction -> WriteDecision<Int> in
      try transaction.put([1].span, forKey: 1, in: environment.log)
      return .abort(3)
    }
    #expect(answer == 3)
    #expect(try environment.keys() == [])
  }

  @Test func aBodyThatDecidesToCommitIsDurable() throws {
    let answer = try environment.writeDeciding { transaction -> WriteDecision<Int> in
      try transaction.put([1].span, forKey: 1, in: environment.log)
      return .commit(3)
    }
    #expect(answer == 3)
    #expect(try environment.keys() == [1])
  }

  @Test func deletingSaysWhetherThereWasAnEntry() throws {
    try environment.store([1], 1)
    try environment.write { transaction in
      let second = try transaction.delete(forKey: 1, in: environment.log)
      #expect(second)
      let third = try transaction.delete(forKey: 1, in: environment.log)
      #expect(!third)
    }
  }

  @Test func emptyingATableLeavesItUsable() throws {
    try environment.store([1], 1)
    try environment.write { try $0.empty(environment.log) }
    #expect(try environment.keys() == [])
    try environment.store([1], 2)
    #expect(try environment.keys() == [2])
  }

  @Test func writtenEntriesAreThereAfterReopening() throws {
    try environment.store([1, 2], 3)
    try environment.close()
    let reopened = try scratch.open()
    #expect(try reopened.load(3) == [1, 2])
  }

  @Test func anErrorSwallowedInsideAWriteFailsTheCommit() throws {
    let faults = FaultInjector()
    let other = try ScratchDirectory()
    let small = try other.open(
      Configuration(mapSize: 1 << 20, durability: .noneForTests, faults: faults))
    let value = [UInt8](repeating: 1, count: 4000)
    let error = lmdbError {
      try small.write { transaction in
        for key in 0..<1000 {
          try? transaction.put(value.span, forKey: UInt64(key), in: small.log)
        }
      }
    }
    #expect(error?.status == .badTransaction)
    #expect(try small.keys() == [])
  }
}
