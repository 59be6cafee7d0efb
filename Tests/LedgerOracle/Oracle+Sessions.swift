// MARK: - Sessions

extension Oracle {
  mutating func open(_ role: Role) -> Answer {
    if position == 0 { _ = append(.ledgerCreated, 0) }
    change(session: session, .sessionOpened) { $0 = Session(role, lastPosition: $1) }
    return .done
  }

  mutating func freeze() throws(Refusal) -> Answer {
    try requireOwnSession()
    guard sessions[session]?.status != .frozen else { return .done }
    releaseCalls(of: session)
    releaseWork(of: session, .frozen)
    change(session: session, .sessionFrozen) { session, _ in session?.status = .frozen }
    return .done
  }

  mutating func unfreeze() throws(Refusal) -> Answer {
    try requireOwnSession()
    change(session: session, .sessionUnfrozen) { session, _ in session?.status = .open }
    return .done
  }

  mutating func close(_ id: Int, died: Bool) -> Answer {
    guard let ended = sessions[id], !ended.isEnded else { return .done }
    releaseCalls(of: id)
    releaseWork(of: id, died ? .died : .closed)
    change(session: id, .sessionClosed) { session, _ in session?.status = died ? .died : .closed }
    return .done
  }
}

// MARK: - The snapshot

extension Oracle {
  fileprivate enum Subject: Hashable {
    case promise(Int)
    case handler(Int)
    case session(Int)
  }

  /// Records to remove.
  package struct Removal: Hashable, Sendable {
    fileprivate var subjects: [Subject]
    /// The position of the newest event when it was planned.
    fileprivate var position: Int

    package var count: Int { subjects.count }
  }

  mutating func fold() -> Answer {
    // Commands alone make no snapshot.
    if mode == .engine { noteFold() }
    return .done
  }

  /// Notes that the snapshot has everything.
  package mutating func noteFold() { snapshot = position }

  /// Notes that the snapshot has everything up to a position.
  package mutating func noteFold(through position: Int) { snapshot = position }

  /// Every record of the snapshot that has ended, and that nothing needs.
  package var removal: Removal {
    let ended = endedInSnapshot().sorted { $0.position < $1.position }
    let needed = neededSubjects()
    let subjects = ended.map(\.subject).filter { subject in
      // Later attempts of a parent look for its children.
      if case .promise(let id) = subject, let parent = promises[id]?.creation.parent,
        needed.contains(.promise(parent))
      {
        return false
      }
      return !needed.contains(subject)
    }
    return Removal(subjects: subjects, position: position)
  }

  mutating func removeRecords() -> Answer {
    var removed = (particulars.removal ?? removal).subjects
    guard !removed.isEmpty else { return .count(0) }
    if let removal = particulars.removal {
      // What others have come to need since the plan stays, and the inputs of newer joints in any case.
      let needed = neededSubjects(jointsAfter: removal.position)
      removed.removeAll(where: needed.contains)
    }
    _ = append(.retentionApplied, 0)
    var (promiseIDs, handlerIDs, sessionIDs): ([Int], [Int], [Int]) = ([], [], [])
    for subject in removed {
      switch subject {
      case .promise(let id): promiseIDs.append(id)
      case .handler(let id): handlerIDs.append(id)
      case .session(let id): sessionIDs.append(id)
      }
    }
    remove(promises: promiseIDs, handlers: handlerIDs, sessions: sessionIDs)
    return .count(removed.count)
  }

  private func endedInSnapshot() -> [(subject: Subject, position: Int)] {
    var ended: [(subject: Subject, position: Int)] = []
    for (id, promise) in promises where promise.isOver && promise.lastPosition <= snapshot {
      ended.append((.promise(id), promise.lastPosition))
    }
    for (id, handler) in handlers where handler.isOver && handler.lastPosition <= snapshot {
      ended.append((.handler(id), handler.lastPosition))
    }
    for (id, session) in sessions where session.isEnded && session.lastPosition <= snapshot {
      ended.append((.session(id), session.lastPosition))
    }
    return ended
  }

  /// What open promises, work, joints and handlers refer to, and joints that were created after a position.
  private func neededSubjects(jointsAfter position: Int = .max) -> Set<Subject> {
    var needed: Set<Subject> = []
    func need(_ ids: [Int]) { for id in ids { needed.insert(.promise(id)) } }
    for handler in handlers.values where !handler.isOver {
      needed.insert(.session(handler.creator))
      need(handler.creation.binding.promises)
      for call in handler.calls.values { need(Array(call.promises)) }
    }
    for promise in promises.values where promise.created > position {
      if let (_, inputs) = promise.joint { need(inputs) }
    }
    for (id, promise) in promises where !promise.isOver {
      needed.insert(.session(promise.creator))
      if let (_, inputs) = promise.joint { need(inputs) }
      guard promise.isPending, let work = promise.work else { continue }
      need([id] + work.references)
      need([promise.creation.parent].compactMap(\.self))
      // Also what it awaits once its attempt ends, or once it is resumed.
      let triggers = [work.trigger, promise.progress?.trigger, promise.progress?.nextTrigger]
      for trigger in triggers.compactMap(\.self) { need(trigger.awaited) }
      need(promise.progress?.awaited ?? [])
    }
    // Later attempts of work also look at its joints that have ended.
    for promise in promises.values where promise.isOver {
      guard let (_, inputs) = promise.joint, let id = promise.creation.parent,
        let parent = promises[id], parent.isPending, parent.work != nil
      else { continue }
      need(inputs)
    }
    // The value of a joint is that of its inputs, so they are needed as long as the joint is.
    var new = Array(needed)
    while let subject = new.popLast() {
      guard case .promise(let id) = subject, let (_, inputs) = promises[id]?.joint else { continue }
      for input in inputs where needed.insert(.promise(input)).inserted {
        new.append(.promise(input))
      }
    }
    return needed
  }
}

extension Oracle.Trigger {
  var awaited: [Int] {
    switch self {
    case .now, .at: []
    case .after(let id, _): [id]
    case .firstOf(let condition): condition.promises
    }
  }
}
