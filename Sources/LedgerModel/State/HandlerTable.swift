/// Handlers by id, with lists of those that are open, are being run, or have a scope.
package struct HandlerTable: IndexedTable, Sendable {
  private(set) var entities = EntityTable<HandlerEntity>()
  private var openIDs: Set<HandlerID> = []
  private var activeIDsByScope: [String: Set<HandlerID>] = [:]
  /// The handlers with an unfinished call.
  private var calledIDs: Set<HandlerID> = []
  /// The handlers of which a session is running a call.
  package private(set) var runningIDs: Set<HandlerID> = []

  package init() {}

  package subscript(id: HandlerID) -> HandlerEntity? { entities[id.entityID] }

  /// The handlers that can still be called, or have an unfinished call, in the order of their insertion.
  ///
  /// - Complexity: O(n log n) in their number.
  package var open: [HandlerEntity] { listed(openIDs) }

  /// The handlers with a scope that can be invalidated, in the order of their insertion.
  ///
  /// - Complexity: O(n log n) in their number.
  package func active(inScope scope: String) -> [HandlerEntity] {
    listed(activeIDsByScope[scope] ?? [])
  }

  /// The unfinished calls, running or released, in the order in which they first started.
  ///
  /// - Complexity: O(n log n) in their number.
  package var openCalls: [StartedCall] {
    listed(calledIDs).flatMap { entity in
      entity.openCalls.values.map { StartedCall(entity: entity, call: $0) }
    }
    .sorted { $0.call.firstStart.position < $1.call.firstStart.position }
  }

  private func listed(_ ids: Set<HandlerID>) -> [HandlerEntity] {
    ids.compactMap { self[$0] }.sorted { $0.created.position < $1.created.position }
  }

  // MARK: Changing

  /// Applies an event to a handler in the table.
  package mutating func apply(
    _ event: borrowing EventView, to id: HandlerID
  ) throws(ReplayProblem) {
    guard let place = entities.place(of: id.entityID) else { return }
    try entities[place]?.apply(event)
    if let entity = entities[place] { index(entity) }
  }

  /// Inserts a handler, or replaces it with a newer state.
  package mutating func update(_ entity: HandlerEntity) {
    if let place = entities.place(of: entity.id.entityID) {
      entities[place] = entity
    } else {
      entities.insert(entity)
    }
    index(entity)
  }

  mutating func remove(at place: Int32) -> HandlerEntity? {
    guard let entity = entities.remove(at: place) else { return nil }
    let id = entity.id
    openIDs.remove(id)
    runningIDs.remove(id)
    calledIDs.remove(id)
    for scope in entity.scopes {
      activeIDsByScope[scope]?.remove(id)
      if activeIDsByScope[scope]?.isEmpty == true { activeIDsByScope[scope] = nil }
    }
    return entity
  }

  private mutating func index(_ entity: HandlerEntity) {
    openIDs.set(entity.id, isMember: entity.isOpen)
    runningIDs.set(entity.id, isMember: entity.isRunning)
    calledIDs.set(entity.id, isMember: !entity.openCalls.isEmpty)
    for scope in entity.scopes {
      activeIDsByScope[scope, default: []].set(entity.id, isMember: entity.status == .active)
      if activeIDsByScope[scope]?.isEmpty == true { activeIDsByScope[scope] = nil }
    }
  }

  // MARK: Invariants

  /// Whether the lists agree with the handler.
  func isConsistent(_ id: HandlerID) -> Bool {
    guard let entity = self[id] else { return false }
    let isActive = entity.status == .active
    return entity.id == id && entity.isConsistent
      && openIDs.contains(id) == entity.isOpen
      && runningIDs.contains(id) == entity.isRunning
      && calledIDs.contains(id) != entity.openCalls.isEmpty
      && entity.scopes.allSatisfy { activeIDsByScope[$0]?.contains(id) ?? false == isActive }
  }
}

extension Set {
  fileprivate mutating func set(_ element: Element, isMember: Bool) {
    if isMember { insert(element) } else { remove(element) }
  }
}

extension HandlerEntity: TabledEntity {
  var entityID: EntityID { id.entityID }
  var firstPosition: Position { created.position }
}
