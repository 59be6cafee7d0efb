/// Work that a runner may start now, according to a state that may be out of date.
package struct WorkCandidate: Sendable, Hashable, Comparable {
  package let id: PromiseID
  package let kind: String
  package let lane: String?
  /// The time by which due work is ordered: that at which it became due, less a minute for each step of its
  /// priority.
  package let order: Timestamp
  /// The position of the creation.
  package let created: Position
  /// The promise whose outcome the work takes over, because it waits for another settlement.
  package let excludedBy: PromiseID?

  package static func < (left: WorkCandidate, right: WorkCandidate) -> Bool {
    (left.order, left.created, left.id) < (right.order, right.created, right.id)
  }
}

/// The work that is due at one time, or the first part of it.
package struct DueWork: Sendable, Hashable {
  /// The work, in the order in which it should be started. Of a lane, only the work that may come next.
  package var candidates: [WorkCandidate] = []
  /// The earliest later time at which other work becomes due by itself, by kind.
  package var nextTimes: [String: Timestamp] = [:]
  /// The kinds of which there may be other due work.
  package var incompleteKinds: Set<String> = []
  /// The lanes with due work that were not looked through.
  package var lanes: Set<String> = []
  /// The lanes of work that changed and does not run, so that other work of the lane may start.
  package var freedLanes: Set<String> = []
  /// The settled promises that work and joints in the snapshot may await, which were not looked at.
  package var awaited: Set<PromiseID> = []
  /// The pending joints that their inputs decide.
  package var joints: Set<PromiseID> = []

  /// The earliest later time at which other work of any kind becomes due by itself.
  package var nextTime: Timestamp? { nextTimes.values.min() }
}

/// The kinds of work that a look covers, and how much of it.
package struct WorkSearch: Sendable {
  package let now: Timestamp
  /// All names of the kinds that the session runs.
  package let kinds: Set<String>
  /// The maximum amount of work of one kind in the result.
  package let limit: Int
  /// The maximum amount of work of one lane in the result of which no attempt was started.
  package let laneLimit: Int
  /// The lanes whose work cannot start now.
  package let fullLanes: Set<String>
  /// Whether a search through everything covers joints.
  package let looksAtJoints: Bool
  /// Whether a search covers only the work that becomes due at a time.
  package let looksOnlyAtTimes: Bool

  package init(
    now: Timestamp, kinds: Set<String>, limit: Int, laneLimit: Int, fullLanes: Set<String> = [],
    looksAtJoints: Bool = true, looksOnlyAtTimes: Bool = false
  ) {
    self.now = now
    self.kinds = kinds
    self.limit = limit
    self.laneLimit = laneLimit
    self.fullLanes = fullLanes
    self.looksAtJoints = looksAtJoints
    self.looksOnlyAtTimes = looksOnlyAtTimes
  }
}

// MARK: - Finding

extension LedgerState {
  /// The maximum amount of queued work of a lane that is examined.
  package static let maximumQueueCount = 256

  /// Finds all due work, or its first part.
  ///
  /// - Complexity: O(n) in the limit of the search, in the number of lanes, in the amount of work that runs, and in
  ///   the amount of due work in the snapshot that changed; if the search covers more than times, also in the
  ///   number of settled promises that work in memory awaits, and of promises that work in the snapshot awaits.
  package func dueWork(_ search: WorkSearch) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    try finder.lookThroughTimes()
    if !search.looksOnlyAtTimes { try finder.lookThroughTheRest() }
    return try finder.result()
  }

  /// Finds the due work among promises that changed, and the work in memory that awaited one of them. Lanes,
  /// and work in the snapshot, are only named.
  package func dueWork(
    among ids: Set<PromiseID>, _ search: WorkSearch
  ) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search, looksAtLanes: false)
    for id in ids {
      // Other work must not wait for a record that this build cannot read.
      guard let entity = try readablePromise(id) else { continue }
      if entity.isWork { try finder.lookAtChange(of: entity) }
      if let promise = SettledPromise(entity) { try finder.lookAtSettlement(of: promise) }
    }
    return try finder.result()
  }

  /// Finds the due work of lanes, and the work in the snapshot that awaits settled promises.
  ///
  /// Of the promises that work in the snapshot awaits, only those among `promises` count for its order.
  package func dueWork(
    inLanes lanes: Set<String>, awaiting promises: Set<PromiseID>, _ search: WorkSearch
  ) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    for id in promises {
      guard let promise = SettledPromise(try readablePromise(id)) else { continue }
      try finder.lookBelow(awaiting: promise)
    }
    for lane in lanes { try finder.lookAt(lane: lane) }
    return try finder.result()
  }

  /// The parts of the snapshot that looking at lanes and awaited promises needs.
  package func needs(
    ofLanes lanes: Set<String>, awaiting promises: Set<PromiseID>
  ) -> SnapshotNeeds {
    var needs = SnapshotNeeds(ids: Set(promises.map(\.entityID)))
    let page = SnapshotNeeds.Page(key: nil, limit: SnapshotReader.sliceCount)
    if has(.lanes) {
      for lane in lanes {
        needs.lists.insert(.lane(lane, .held))
        needs.pages[.lane(lane, .queued)] = page
      }
    }
    if has(.joints) {
      for promise in promises { needs.pages[.joints(promise)] = page }
    }
    if has(.awaitingWork) {
      for promise in promises {
        for settlement in WorkTrigger.Settlement.allCases {
          needs.pages[.awaitingWork(promise, settlement)] = page
        }
      }
    }
    return needs
  }

  /// The promise, if this build can read its record.
  package func readablePromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    do throws(LedgerError) {
      return try promise(id)
    } catch {
      guard error.isOfUnreadableItem else { throw error }
      return nil
    }
  }
}
