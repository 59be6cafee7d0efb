import LedgerBytes

extension PromiseEntity {
  /// The state of pending work.
  package enum WorkPhase: Sendable, Hashable {
    /// A session runs the newest attempt.
    case running(SessionID)
    /// It waits for an operator.
    case parked(LedgerEvent.Trace)
    /// It waits for its trigger, or is due.
    case waiting(WorkTrigger)
  }

  /// The state of the work; `nil` if it is not pending, or the promise is not settled by code.
  ///
  /// - Parameter work: The work as the creation describes it.
  package func workPhase(_ work: PromiseCreated.Work) -> WorkPhase? {
    guard status == .pending else { return nil }
    guard let progress else { return .waiting(work.trigger) }
    if let session = progress.runningSession { return .running(session) }
    if let parking = progress.parking { return .parked(parking) }
    return .waiting(progress.nextTrigger ?? work.trigger)
  }

  /// The entries of pending work in the lists of work, besides that of all open work.
  var workEntries: [OpenEntry] {
    guard let creation = try? creation() else { return [] }
    let id = id.entityID
    var entries: [OpenEntry] = []
    if let parent = creation.parent {
      entries.append(OpenEntry(key: OpenList.children(parent).key(id), value: []))
    }
    guard let work = creation.work, let phase = workPhase(work) else { return entries }
    let options = progress?.options ?? work.options
    if let lane = options.lane {
      var value: [UInt8] = []
      value.appendLittleEndian(UInt16(clamping: lane.width))
      if case .running = phase { value.append(1) } else { value.append(0) }
      let key = OpenList.lane(lane.name).key(id, order: created.position.rawValue)
      entries.append(OpenEntry(key: key, value: value))
    }
    entries.append(entry(of: phase, work, options))
    return entries
  }

  /// The entry in the list of its phase.
  private func entry(
    of phase: WorkPhase, _ work: PromiseCreated.Work, _ options: WorkOptions
  ) -> OpenEntry {
    let id = id.entityID
    switch phase {
    case .running(let session):
      return OpenEntry(key: OpenList.running(session).key(id), value: [])
    case .parked(let fact):
      let key = OpenList.parkedWork.key(id, order: fact.position.rawValue)
      return OpenEntry(key: key, value: Array(work.kind.utf8))
    case .waiting(.now):
      let time = created.time + .seconds(-60 * Int64(options.priority))
      let key = OpenList.dueWork.key(id, order: time.ordered)
      return OpenEntry(key: key, value: work.entryValue(options))
    case .waiting(.at(let time)):
      let key = OpenList.timedWork.key(id, order: time.ordered)
      return OpenEntry(key: key, value: work.entryValue(options))
    case .waiting(.after(let promise, let settlement)):
      let value = [settlement.rawValue] + work.entryValue(options)
      return OpenEntry(key: OpenList.awaitingWork(promise).key(id), value: value)
    }
  }
}

extension PromiseCreated.Work {
  /// The facts that a runner needs before it reads the record: priority, kind and lane.
  fileprivate func entryValue(_ options: WorkOptions) -> [UInt8] {
    var value = [UInt8(bitPattern: options.priority)]
    value.appendText(kind)
    value.appendText(options.lane?.name ?? "")
    return value
  }
}
