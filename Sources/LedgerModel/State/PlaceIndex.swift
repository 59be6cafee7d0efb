/// Finds the place of an entity in an array by its id: a hash table of places with open addressing.
///
/// It stores 32 bits of each id's hash beside the place, so that growing reads no entity and a look-up
/// compares few ids. The hash is seeded per process: callers choose the keys, and it must not be possible to
/// choose many that collide.
struct PlaceIndex: Sendable {
  /// No place.
  static let none: Int32 = -1

  private struct Slot: Sendable {
    var fragment: UInt32 = 0
    var place = PlaceIndex.none
  }

  /// The slots: a power of two in number, at most three quarters occupied.
  private var slots = Self.noSlots
  private var count = 0
  /// The slots of every empty table, which so allocates nothing.
  private static let noSlots = ContiguousArray(repeating: Slot(), count: 16)
  private let seed = Self.processSeed

  /// Finds the place for which `isMatch` is true.
  @inline(__always)
  func find(_ id: EntityID, where isMatch: (Int32) -> Bool) -> Int32? {
    let fragment = fragment(of: id)
    var number = Int(fragment) & (slots.count - 1)
    while slots[number].place != Self.none {
      if slots[number].fragment == fragment, isMatch(slots[number].place) {
        return slots[number].place
      }
      number = (number + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds the place of an id that is not in the table.
  mutating func insert(_ id: EntityID, at place: Int32) {
    count += 1
    if 4 * count > 3 * slots.count { grow() }
    put(Slot(fragment: fragment(of: id), place: place))
  }

  /// Removes the place of an id.
  ///
  /// - Parameter place: The place of the id.
  mutating func remove(_ id: EntityID, at place: Int32) {
    let mask = slots.count - 1
    var hole = Int(fragment(of: id)) & mask
    while slots[hole].place != place {
      guard slots[hole].place != Self.none else { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // Entries that follow because their own slot was occupied move up, so that no search ends too early.
    var number = hole
    while true {
      number = (number + 1) & mask
      guard slots[number].place != Self.none else { break }
      let home = Int(slots[number].fragment) & mask
      if (number - home) & mask >= (number - hole) & mask {
        slots[hole] = slots[number]
        hole = number
      }
    }
    slots[hole] = Slot()
  }

  private mutating func put(_ slot: Slot) {
    var number = Int(slot.fragment) & (slots.count - 1)
    while slots[number].place != Self.none { number = (number + 1) & (slots.count - 1) }
    slots[number] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: Slot(), count: 2 * old.count)
    for slot in old where slot.place != Self.none { put(slot) }
  }

  // MARK: Hashing

  private static let processSeed = (salt(1), salt(2))

  /// A number that is unpredictable outside this process.
  private static func salt(_ number: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(number)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  @inline(__always)
  private func fragment(of id: EntityID) -> UInt32 {
    let product = (id.high ^ seed.0).multipliedFullWidth(by: id.low ^ seed.1)
    return UInt32(truncatingIfNeeded: (product.high ^ product.low) >> 16)
  }
}
