import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Look-ups of entities by id.
@Suite(.timeLimit(.minutes(10)))
struct PlaceIndexTests {
  @Test func findsEveryIDAndNoOther() {
    var generator = SystemRandomNumberGenerator()
    // Neighbours, as ids of one millisecond are, and ids that differ in one half only.
    let ids = (0..<2_000).flatMap { number in
      [
        EntityID(high: UInt64(number), low: 7), EntityID(high: 7, low: UInt64(number) << 32 | 1),
        EntityID(high: generator.next(), low: generator.next()),
      ]
    }
    var index = PlaceIndex()
    var stored: [EntityID] = []
    for id in ids where index.find(id, where: { stored[Int($0)] == id }) == nil {
      index.insert(id, at: Int32(stored.count))
      stored.append(id)
    }
    #expect(stored.count == Set(ids).count)
    for (place, id) in stored.enumerated() {
      #expect(index.find(id) { stored[Int($0)] == id } == Int32(place), "place \(place)")
    }
    #expect(index.find(EntityID(high: 1 << 60, low: 1 << 60)) { _ in false } == nil)
  }
}
