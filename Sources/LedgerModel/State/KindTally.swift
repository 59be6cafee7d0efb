/// Counts work by kind, up to the limit of a search.
struct KindTally {
  private let limit: Int
  private var counts: [String: Int] = [:]
  private var openKinds: Set<String>

  init(_ search: WorkSearch) {
    limit = search.limit
    openKinds = search.kinds
  }

  /// Whether more work of any kind may be taken.
  var hasRoom: Bool { !openKinds.isEmpty }

  /// Counts work of a kind; returns whether it may be taken.
  mutating func takes(_ kind: String) -> Bool {
    counts[kind, default: 0] += 1
    guard counts[kind, default: 0] > limit else { return true }
    openKinds.remove(kind)
    return false
  }
}
