/// Pending promises in memory by the promises that they name, such as the children of work by its promise.
package struct LinkIndex: Sendable {
  /// The promises that each pending promise names.
  private var targets: [PromiseID: [PromiseID]] = [:]
  /// The pending promises that name each promise.
  private var sources: [PromiseID: Set<PromiseID>] = [:]

  package init() {}

  /// The pending promises that name a promise, in no particular order.
  package subscript(target: PromiseID) -> Set<PromiseID> {
    sources.isEmpty ? [] : sources[target] ?? []
  }

  /// The promises that pending promises name, in no particular order.
  package var allTargets: some Collection<PromiseID> { sources.keys }

  /// The promises that a pending promise names; `nil` if it names none.
  func named(by id: PromiseID) -> [PromiseID]? { targets[id] }

  /// - Parameter named: The promises that it names; none if it is not pending.
  mutating func update(_ id: PromiseID, naming named: [PromiseID]) {
    guard !named.isEmpty || !targets.isEmpty else { return }
    let old = targets[id] ?? []
    // What a promise names never changes while it is pending.
    guard old.isEmpty != named.isEmpty else { return }
    for target in old {
      sources[target]?.remove(id)
      if sources[target]?.isEmpty ?? false { sources[target] = nil }
    }
    targets[id] = named.isEmpty ? nil : named
    for target in named { sources[target, default: []].insert(id) }
  }
}

/// Pending joints in memory, by their inputs.
package struct JointIndex: Sendable {
  private var links = LinkIndex()
  private var rules: [PromiseID: PromiseCreated.Joint.Rule] = [:]

  package init() {}

  /// The joints with an input, in no particular order.
  package subscript(input: PromiseID) -> Set<PromiseID> { links[input] }

  /// The inputs of all joints, in no particular order.
  package var allInputs: some Collection<PromiseID> { links.allTargets }

  /// The rule and the inputs of a joint; `nil` if it is not in memory, or not pending.
  func joint(_ id: PromiseID) -> (rule: PromiseCreated.Joint.Rule, inputs: [PromiseID])? {
    guard let rule = rules[id], let inputs = links.named(by: id) else { return nil }
    return (rule, inputs)
  }

  mutating func update(_ entity: PromiseEntity) {
    guard entity.isJoint else { return }
    let joint = entity.status == .pending ? entity.joint : nil
    rules[entity.id] = joint?.rule
    links.update(entity.id, naming: joint?.inputs ?? [])
  }

  mutating func remove(_ id: PromiseID) {
    guard rules.removeValue(forKey: id) != nil else { return }
    links.update(id, naming: [])
  }
}

extension PromiseEntity {
  /// The inputs for which a pending joint waits.
  package var awaitedInputs: [PromiseID] { status == .pending ? joint?.inputs ?? [] : [] }

  /// The parent of a pending promise, if it has one.
  var pendingParent: [PromiseID] { status == .pending ? parent.map { [$0] } ?? [] : [] }
}
