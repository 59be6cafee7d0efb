import Synchronization

// MARK: - New work

extension WorkLoop: WorkStarter {
  /// Reserves a place for work that the session is about to create and that is due at once, so that the commit that
  /// creates it starts it too.
  ///
  /// - Returns: Whether there is a place, and no other work that is known to be due, nor a search for such work. Work
  ///   that became due a moment ago, and is just being looked at, may come after it.
  func reserve(_ id: PromiseID, kind: String) -> Bool {
    let (now, kind) = (now, presentName(of: kind))
    guard kinds.contains(kind) else { return false }
    return contents.withLock { contents in
      // Another task may just be creating the same work.
      guard let end = contents.lastStart, now < end, contents.reserved[id] == nil,
        contents.agenda.isDone,
        contents.changed.isEmpty, !contents.isClaiming, contents.runningCount < limits.total,
        limits.kinds[kind].map({ contents.counts[kind, default: 0] < $0 }) ?? true
      else { return false }
      contents.reserved[id] = kind
      contents.counts[kind, default: 0] += 1
      return true
    }
  }

  /// Creates work for which a place is reserved, and runs it if it was started.
  func create(_ creation: CreatePromise) async throws -> CreatePromise.Answer {
    do {
      let answer = try await engine.submit(StartWork(creation, runnableKinds: kinds))
      if let entity = answer.started, let kind = creation.creation.work?.kind {
        try start(entity, kind: kind)
      }
      // Only now: what runs without a place would be given back.
      endReservation(of: creation.id)
      return answer.creation
    } catch {
      endReservation(of: creation.id)
      if (error as? LedgerError)?.code == .commitOutcomeUnknown {
        contents.withLock { $0.hasLostClaims = true }
      }
      throw error
    }
  }

  private func endReservation(of id: PromiseID) {
    contents.withLock { contents in
      guard let kind = contents.reserved.removeValue(forKey: id) else { return }
      contents.counts[kind, default: 1] -= 1
      // Its code was not noted yet when this was looked at, and may have been cancelled by now.
      if contents.changedEarly.remove(id) != nil { contents.changed.insert(id) }
    }
    wakeUp()
  }

  /// Gives work back that was started when the runner had ended.
  func giveBack(_ entity: PromiseEntity) {
    let release = ReleaseWork(
      id: entity.id, attempt: entity.progress?.attempt ?? 0, reason: .cancelled)
    Task.detached { [engine] in _ = try? await engine.submit(release) }
  }
}

extension WorkLoop.Contents {
  /// The number of attempts that run, or may be started by commands on their way.
  var runningCount: Int { running.count + reserved.count }
}
