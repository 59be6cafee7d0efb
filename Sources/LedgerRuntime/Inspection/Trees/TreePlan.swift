/// The places of a tree, before the records are read. It is found level by level, so that a limit cuts off the
/// deepest levels, and without recursion, because chains may be long.
struct TreePlan {
  struct Place {
    let id: PromiseID
    let depth: Int
    let relation: PromiseTree.Relation?
    let isRepeated: Bool
    var leftOutCount = 0
    /// The places directly below.
    var below: [Int] = []
  }

  /// A promise whose ties are followed.
  private struct Visit {
    let id: PromiseID
    /// Its place; `nil` if the limit leaves it out.
    let place: Int?
    /// The promise above it, if this is its child.
    let parent: PromiseID?
  }

  private var places: [Place]
  /// The number of promises that are left out.
  private(set) var leftOutCount = 0

  /// - Parameters:
  ///   - limit: The maximum number of places.
  ///   - below: Returns the promises directly below a promise.
  init(
    from root: PromiseID, limit: Int,
    _ below: (PromiseID) throws(LedgerError) -> [(id: PromiseID, relation: PromiseTree.Relation)]
  ) throws(LedgerError) {
    places = [Place(id: root, depth: 0, relation: nil, isRepeated: false)]
    var seen: Set = [root]
    var visits = [Visit(id: root, place: 0, parent: nil)]
    var next = 0
    while next < visits.count {
      let visit = visits[next]
      next += 1
      for (id, relation) in try below(visit.id) {
        // Work that awaits its child is above it already.
        if relation == .continuation, id == visit.parent { continue }
        let isNew = seen.insert(id).inserted
        var place: Int?
        if let above = visit.place {
          place = add(id, relation, isRepeated: !isNew, below: above, limit)
        }
        guard isNew else { continue }
        if place == nil { leftOutCount += 1 }
        visits.append(
          Visit(id: id, place: place, parent: relation == .child ? visit.id : nil))
      }
    }
  }

  private mutating func add(
    _ id: PromiseID, _ relation: PromiseTree.Relation, isRepeated: Bool, below above: Int,
    _ limit: Int
  ) -> Int? {
    guard places.count < limit else {
      places[above].leftOutCount += 1
      return nil
    }
    places[above].below.append(places.count)
    places.append(
      Place(
        id: id, depth: places[above].depth + 1, relation: relation, isRepeated: isRepeated))
    return places.count - 1
  }

  /// The places, each followed by everything below it.
  var inOrder: [Place] {
    var ordered: [Place] = []
    ordered.reserveCapacity(places.count)
    var stack = [0]
    while let index = stack.popLast() {
      ordered.append(places[index])
      stack += places[index].below.reversed()
    }
    return ordered
  }
}
