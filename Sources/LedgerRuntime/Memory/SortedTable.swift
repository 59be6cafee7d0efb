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

  /// Adds entries that are sorted by their keys, none of which the table has.
  mutating func merge(_ entries: [(key: [UInt8], value: [UInt8])]) {
    guard let first = entries.first else { return }
    let start = index(atOrAbove: first.key)
    let (laterKeys, laterValues) = (Array(keys[start...]), Array(values[start...]))
    keys.removeSubrange(start...)
    values.removeSubrange(start...)
    var next = 0
    for (key, value) in entries {
      while next < laterKeys.count, laterKeys[next].precedes(key) {
        keys.append(laterKeys[next])
        values.append(laterValues[next])
        next += 1
      }
      keys.append(key)
      values.append(value)
    }
    keys += laterKeys[next...]
    values += laterValues[next...]
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
