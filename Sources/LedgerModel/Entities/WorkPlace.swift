/// The facts about pending work by which runners find it.
package struct WorkPlace: Sendable, Hashable {
  /// The state of pending work.
  package enum Phase: Sendable, Hashable {
    /// A session runs the newest attempt.
    case running(SessionID)
    /// It waits for an operator, since the event at the position.
    case parked(Position)
    /// It waits for its trigger, or is due.
    case waiting(WorkTrigger)
  }

  package let kind: String
  /// The time of the creation, by which work that is due at once is ordered.
  package let createdAt: Timestamp
  /// The position of the creation, by which a lane is ordered.
  package let created: Position
  /// The end of the attempt, or the largest time. A time and an array take less memory than optional values.
  private let overdue: Timestamp
  /// At most one element.
  private let lanes: [WorkLane]
  package let phase: Phase
  package let priority: Int8
  /// Whether an attempt was started.
  package let hasStarted: Bool

  fileprivate init(
    kind: String, phase: Phase, options: WorkOptions, created: LedgerEvent.Trace, hasStarted: Bool,
    overdueAt: Timestamp?
  ) {
    self.kind = kind
    self.phase = phase
    lanes = options.lane.map { [$0] } ?? []
    priority = options.priority
    self.created = created.position
    createdAt = created.time
    self.hasStarted = hasStarted
    overdue = overdueAt ?? .never
  }

  package var lane: WorkLane? { lanes.first }

  /// The time from which another session may take over the running attempt: it took twice the time that it may
  /// take, so its process was probably stopped. `nil` if there is no limit, or no attempt runs.
  package var overdueAt: Timestamp? { overdue == .never ? nil : overdue }

  /// Whether the work counts against the width of its lane: from its first attempt until it is settled or
  /// parked, so that the work behind it does not overtake it between two attempts.
  package var holdsLane: Bool {
    if case .parked = phase { false } else { hasStarted }
  }

  package var isRunning: Bool {
    if case .running = phase { true } else { false }
  }

  package var isParked: Bool {
    if case .parked = phase { true } else { false }
  }

  /// Whether the work waits only for a runner: not for a time, a promise or an operator.
  package var isDueAtOnce: Bool { phase == .waiting(.now) }

  /// The trigger, if the work neither runs nor is parked.
  package var trigger: WorkTrigger? {
    if case .waiting(let trigger) = phase { trigger } else { nil }
  }
}

extension Timestamp {
  fileprivate static var never: Timestamp { Timestamp(nanosecondsSinceEpoch: .max) }

  /// The time by which runners order work that becomes due at this time.
  package func prioritized(_ priority: Int8) -> Timestamp {
    self + .seconds(-60 * Int64(priority))
  }
}

extension PromiseEntity {
  private func overdueTime(_ options: WorkOptions) -> Timestamp? {
    guard let progress, progress.runningSession != nil, let start = progress.start else {
      return nil
    }
    return options.attemptTimeout.map { start.time + $0 * 2 }
  }

  /// The place of pending work; `nil` for any other promise.
  package var workPlace: WorkPlace? {
    guard isWork, status == .pending, let work = (try? creation())?.work else { return nil }
    return workPlace(work)
  }

  /// The place of pending work; `nil` if it is no longer pending.
  ///
  /// - Parameter work: The work that its creation describes.
  package func workPlace(_ work: PromiseCreated.Work) -> WorkPlace? {
    guard status == .pending else { return nil }
    let options = progress?.options ?? work.options
    let phase: WorkPlace.Phase
    if let session = progress?.runningSession {
      phase = .running(session)
    } else if let parking = progress?.parking {
      phase = .parked(parking.position)
    } else {
      phase = .waiting(progress?.nextTrigger ?? work.trigger)
    }
    return WorkPlace(
      kind: work.kind, phase: phase, options: options, created: created,
      hasStarted: progress.map { $0.attempt > 0 } ?? false, overdueAt: overdueTime(options))
  }
}

extension PromiseEntity {
  /// The place of the arguments of work, as last amended.
  ///
  /// - Parameter work: The work that its creation describes.
  package func workArguments(_ work: PromiseCreated.Work) -> ArgumentsReference {
    if let amended = progress?.arguments { return amended.arguments }
    if let arguments = work.arguments { return .inline(arguments) }
    return .attached(created.position, byteCount: progress?.creationAttachmentByteCount ?? 0)
  }
}

extension WorkTrigger.Settlement {
  /// Whether work with this trigger runs after an outcome.
  ///
  /// - Parameter outcome: The outcome; `nil` if the promise was abandoned.
  package func includes(_ outcome: PromiseOutcomeKind?) -> Bool {
    switch self {
    case .fulfilled: outcome == .fulfilled
    case .failed: outcome != .fulfilled
    case .any: true
    }
  }

  /// The only trigger that never becomes due after an outcome.
  ///
  /// - Parameter outcome: The outcome; `nil` if the promise was abandoned.
  static func excluded(by outcome: PromiseOutcomeKind?) -> Self {
    outcome == .fulfilled ? .failed : .fulfilled
  }
}
