import LedgerRuntime

/// Promises and handlers, and the relations between them.
struct RelationGraph {
  struct Edge {
    enum Kind: String {
      case child
      case awaits
      case refers = "refers to"
    }

    let start: EntityID
    let end: EntityID
    let kind: Kind
  }

  struct Node {
    /// What it is, its name, and its state.
    let words: [String]
    let isHandler: Bool
  }

  /// The nodes in the order in which they were found.
  private(set) var nodes: [(id: EntityID, node: Node)] = []
  /// The relations between these nodes.
  private(set) var edges: [Edge] = []
  /// The number of nodes beyond the limit.
  private(set) var leftOutCount = 0

  /// Everything that is related to one thing, directly or not.
  init(
    around id: EntityID, in replayed: ReplayedLedger, limit: Int, progress: () -> Void
  ) throws {
    let all = try Self.edges(of: replayed, includesClosed: true, progress)
    var neighbours: [EntityID: [EntityID]] = [:]
    for edge in all {
      neighbours[edge.start, default: []].append(edge.end)
      neighbours[edge.end, default: []].append(edge.start)
    }
    var found = [id]
    var seen: Set = [id]
    var index = 0
    while index < found.count {
      for next in neighbours[found[index], default: []] where seen.insert(next).inserted {
        found.append(next)
      }
      index += 1
    }
    try add(found, all, of: replayed, limit: limit)
  }

  /// What is open, and related to anything.
  init(ofOpenIn replayed: ReplayedLedger, limit: Int, progress: () -> Void) throws {
    let all = try Self.edges(of: replayed, includesClosed: false, progress)
    var seen: Set<EntityID> = []
    let found = all.flatMap { [$0.start, $0.end] }.filter { seen.insert($0).inserted }
    try add(found, all, of: replayed, limit: limit)
  }

  private mutating func add(
    _ found: [EntityID], _ all: [Edge], of replayed: ReplayedLedger, limit: Int
  ) throws(LedgerError) {
    for id in found.prefix(limit) { nodes.append((id, try Self.node(id, in: replayed))) }
    leftOutCount = found.count - nodes.count
    let kept = Set(nodes.map(\.id))
    edges = all.filter { kept.contains($0.start) && kept.contains($0.end) }
  }

  // MARK: Reading

  private static func edges(
    of replayed: ReplayedLedger, includesClosed: Bool, _ progress: () -> Void
  ) throws -> [Edge] {
    var edges: [Edge] = []
    var statuses: Set<PromiseRecord.Status> = [.pending]
    if includesClosed { statuses.formUnion([.resolved, .consumed, .abandoned]) }
    try replayed.forEachPromise(statuses, progress: progress) { record in
      edges += record.edges(includesPast: includesClosed)
      return true
    }
    // Joints and work are not among the promises. The edges do not depend on the time.
    try replayed.forEachJointOrOutcome(progress: progress) { record in
      if statuses.contains(record.status) { edges += record.edges(includesPast: includesClosed) }
      return true
    }
    try replayed.forEachWork(at: SystemLedgerClock().now(), progress: progress) { record, _ in
      edges += record.edges(includesPast: includesClosed)
      return true
    }
    try replayed.forEachHandler(includesClosed: includesClosed, progress: progress) { record in
      let (id, references) = (record.id.entityID, record.references)
      for other in references.promises.map(\.entityID) + references.handlers.map(\.entityID) {
        edges.append(Edge(start: id, end: other, kind: .refers))
      }
      return true
    }
    return edges
  }

  private static func node(
    _ id: EntityID, in replayed: ReplayedLedger
  ) throws(LedgerError) -> Node {
    let end = "…\(id.shortText)"
    if let record = try replayed.record(of: PromiseID(entityID: id)) {
      let noun = record.joint == nil ? "promise" : "joint"
      let kind = record.work.map { "work \($0.kind)" } ?? noun
      let name = record.key ?? record.label ?? end
      return Node(words: [kind, name, record.stateWord], isHandler: false)
    }
    if let record = try replayed.record(of: HandlerID(entityID: id)) {
      let name = record.key ?? record.label ?? end
      return Node(words: ["handler \(record.kind)", name, record.stateWord], isHandler: true)
    }
    return Node(words: [end, "removed"], isHandler: false)
  }
}

extension PromiseRecord {
  /// Its relations to its parent and to what it awaits.
  ///
  /// - Parameter includesPast: Whether to include what work awaited before it ran.
  fileprivate func edges(includesPast: Bool) -> [RelationGraph.Edge] {
    let id = id.entityID
    let parents = [parent].compactMap { $0 }.map {
      RelationGraph.Edge(start: $0.entityID, end: id, kind: .child)
    }
    return parents
      + awaited(includesPast).map {
        RelationGraph.Edge(start: id, end: $0.entityID, kind: .awaits)
      }
  }

  private func awaited(_ includesPast: Bool) -> [PromiseID] {
    if let joint { return joint.inputs }
    guard let work else { return [] }
    var awaited: [PromiseID] = []
    if case .waiting(let trigger) = work.state { awaited = trigger.awaited }
    guard includesPast else { return awaited }
    return awaited + work.firstTrigger.awaited.filter { !awaited.contains($0) }
  }
}
