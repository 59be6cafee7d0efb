import LedgerModel

/// A table in memory whose keys are sorted by their bytes.
struct SortedTable: Sendable {
  private var keys: [[UInt8]] = []
  private var values: [[UInt8]] = []

  var count: Int { keys.count }

  subscript(key: [UInt8]) -> [UInt8]? {
    get {
      let index = index(atOrAbove: key)
      return index < keys.count && keys[index] == key ? values[index] : nil
    }
    set {
      let index = index(atOrAbove: key)
      let isThere = index < keys.count && keys[index] == key
      switch (newValue, isThere) {
      case (let value?, true): values[index] = value
      case (let value?, false):
        keys.insert(key, at: index)
        values.insert(value, at: index)
      case (nil, true):
        keys.remove(at: index)
        values.remove(at: index)
      case (nil, false): break
      }
    }
  }

  func scan(
    from start: [UInt8], _ body: ([UInt8], [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    for index in index(atOrAbove: start)..<keys.count {
      guard try body(keys[index], values[index]) else { return }
    }
  }

  private func index(atOrAbove key: [UInt8]) -> Int {
    keys.partitioningIndex { !$0.precedes(key) }
  }
}
