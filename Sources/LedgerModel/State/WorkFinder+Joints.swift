// MARK: - Joints

extension WorkFinder {
  /// Looks through the joints in memory.
  mutating func lookThroughJoints() throws(LedgerError) {
    for id in state.promises.joints.allInputs where try settledPromise(id) != nil {
      try noteJoints(inMemoryOf: id)
    }
  }

  /// Looks at the joints in memory with a settled input.
  mutating func noteJoints(inMemoryOf input: PromiseID) throws(LedgerError) {
    for id in state.promises.joints[input] { try noteIfDecided(id) }
  }

  /// Looks at the joints in the snapshot with a settled input.
  mutating func noteJoints(inSnapshotOf input: PromiseID) throws(LedgerError) {
    guard state.has(.joints) else { return }
    // All of them: those that wait for other inputs stay among the first.
    try state.snapshot.forEachEntry(of: .joints(input), afterKey: nil, firstSliceCount: 64) {
      (entry) throws(LedgerError) in
      guard !state.isOverlaid(entry.id) else { return true }
      do throws(LedgerError) {
        try noteIfDecided(PromiseID(entityID: entry.id))
      } catch {
        try notePart(error)
      }
      return true
    }
  }

  /// Notes a joint, but not if the commit that settled an input found it undecided.
  private mutating func noteIfDecided(_ id: PromiseID) throws(LedgerError) {
    guard state.blocked[id.entityID] == nil, let joint = try state.readablePromise(id)?.joint,
      try state.verdict(on: joint) != .undecided
    else { return }
    found.joints.insert(id)
  }
}
