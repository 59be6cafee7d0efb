import Testing

@testable import LedgerRuntime

/// Which integer type may stand for which other one.
@Suite(.timeLimit(.minutes(10)))
struct NumberTypeTests {
  private static let types: [(tag: String, type: any (FixedWidthInteger & Sendable).Type)] = [
    ("int8", Int8.self), ("int16", Int16.self), ("int32", Int32.self), ("int", Int.self),
    ("uint8", UInt8.self), ("uint16", UInt16.self), ("uint32", UInt32.self), ("uint", UInt.self),
  ]

  @Test func anIntegerTypeWidensToTheTypesThatHaveAllItsValues() throws {
    for (tag, type) in Self.types {
      let number = try #require(NumberType(typeTag: tag))
      for (otherTag, other) in Self.types {
        let wider = try #require(NumberType(typeTag: otherTag))
        #expect(number.widens(to: wider) == fits(type, in: other), "\(tag) to \(otherTag)")
      }
    }
  }

  private func fits<Number: FixedWidthInteger>(
    _ type: Number.Type, in other: any FixedWidthInteger.Type
  ) -> Bool {
    func holds<Other: FixedWidthInteger>(_ other: Other.Type) -> Bool {
      Other(exactly: Number.min) != nil && Other(exactly: Number.max) != nil
    }
    return holds(other)
  }
}
