import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// A table of entities has the same contents as a dictionary would.
@Suite(.timeLimit(.minutes(10))) struct EntityTableTests {
  private struct Item: TabledEntity, Equatable {
    let entityID: EntityID
    let firstPosition: Position
    var lastPosition: Position
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func hasTheContentsOfADictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var table = EntityTable<Item>()
    var model: [EntityID: Item] = [:]
    var clock: UInt64 = 0
    var copies: [(table: EntityTable<Item>, model: [EntityID: Item])] = []
    for step in 0..<6_000 {
      clock += 1
      let id = EntityID(high: 7, low: .random(in: 0..<1_500, using: &random))
      if let place = table.place(of: id) {
        if Bool.random(using: &random) {
          table[place]?.lastPosition = Position(rawValue: clock)
          model[id]?.lastPosition = Position(rawValue: clock)
        } else {
          #expect(table.remove(at: place) == model.removeValue(forKey: id), "step \(step)")
        }
      } else {
        let position = Position(rawValue: clock)
        let item = Item(entityID: id, firstPosition: position, lastPosition: position)
        table.insert(item)
        model[id] = item
      }
      if step.isMultiple(of: 1_500) { copies.append((table, model)) }
    }
    check(table, model)
    for copy in copies { check(copy.table, copy.model) }
    for start in stride(from: 0, to: table.placeCount, by: 100) {
      let places = start..<(start + 100)
      for place in table.places(among: places, unchangedSince: Position(rawValue: 4_000)) {
        table.remove(at: place)
      }
    }
    check(table, model.filter { $0.value.lastPosition.rawValue > 4_000 })
  }

  private func check(_ table: EntityTable<Item>, _ model: [EntityID: Item]) {
    #expect(table.count == model.count)
    #expect(table.all == model.values.sorted { $0.firstPosition < $1.firstPosition })
    for low in 0..<1_500 {
      let id = EntityID(high: 7, low: UInt64(low))
      #expect(table[id] == model[id], "\(low)")
    }
  }
}
