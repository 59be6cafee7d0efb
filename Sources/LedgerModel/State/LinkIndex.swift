/// Pending promises in memory by the promises that they name: joints by their inputs, and the promises of
/// work's children by their parents.
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

extension PromiseEntity {
  /// The inputs for which a pending joint waits.
  package var awaitedInputs: [PromiseID] { status == .pending ? joint?.inputs ?? [] : [] }

  /// The parent of a pending promise, if it has one.
  var pendingParent: [PromiseID] { status == .pending ? parent.map { [$0] } ?? [] : [] }
}
