extension Redactor {
  /// The record of an entity, with its values and texts replaced.
  ///
  /// - Throws: `unsupportedEvent` if this build does not know the record; `corrupt`.
  package func redact(_ entity: LedgerEntity) throws(LedgerError) -> LedgerEntity {
    do throws(PayloadDamage) {
      switch entity {
      case .promise(let promise): return .promise(try redact(promise))
      case .session(let session): return .session(try redact(session))
      case .handler(let handler): return .handler(try redact(handler))
      case .opaque: break
      }
    } catch {
      throw SnapshotRecord.damaged(entity.id, error.what)
    }
    throw .opaque(entity.id, entity.type)
  }

  /// A large value that a record owns, with its values and texts replaced.
  ///
  /// - Parameter entity: The record as it is in the ledger.
  package func redact(
    _ attachment: [UInt8], at position: Position, of entity: LedgerEntity
  ) throws(LedgerError) -> [UInt8] {
    do throws(PayloadDamage) {
      switch entity {
      case .promise(let promise): return try redact(attachment, at: position, of: promise)
      case .handler(let handler): return try redact(attachment, at: position, of: handler)
      case .session, .opaque: return bytes(attachment)
      }
    } catch {
      throw SnapshotRecord.damaged(entity.id, error.what)
    }
  }

  // MARK: Sessions

  private func redact(_ session: SessionEntity) throws(PayloadDamage) -> SessionEntity {
    let opened = session.opened
    return SessionEntity(
      id: session.id,
      opened: SessionOpened(
        role: opened.role, processID: opened.processID, instance: text(opened.instance),
        host: text(opened.host), libraryVersion: opened.libraryVersion),
      openedAt: session.openedAt, processID: session.processID, status: session.status,
      lastPosition: session.lastPosition, lastTime: session.lastTime)
  }

  // MARK: Promises

  private func redact(_ promise: PromiseEntity) throws(PayloadDamage) -> PromiseEntity {
    var resolution: PromiseEntity.Resolution?
    if let old = promise.resolution {
      let payload = try payload(PromiseResolved.self, old.payload, isJoint: promise.isJoint)
      resolution = PromiseEntity.Resolution(
        fact: old.fact, payload: payload, attachmentByteCount: old.attachmentByteCount)
    }
    var closing = promise.closing
    if case .abandoned(let fact, let reason) = closing {
      closing = .abandoned(fact, reason: text(reason))
    }
    var progress: WorkProgress?
    if let old = promise.progress { progress = try redact(old) }
    return PromiseEntity(
      id: promise.id, created: promise.created,
      creationPayload: try payload(PromiseCreated.self, promise.creationPayload),
      resolution: resolution, closing: closing, progress: progress)
  }

  private func redact(_ old: WorkProgress) throws(PayloadDamage) -> WorkProgress {
    var release: WorkProgress.Release?
    if let ended = old.release {
      let bytes = try payload(WorkReleased.self, ended.event.encoded)
      release = WorkProgress.Release(fact: ended.fact, event: try decoded(bytes))
    }
    var steps: [WorkStep] = []
    for step in old.steps {
      let bytes = try payload(WorkStepFinished.self, step.payload)
      steps.append(
        WorkStep(
          fact: step.fact, try decoded(bytes), payload: bytes,
          attachmentByteCount: step.attachmentByteCount))
    }
    var options = old.options
    if let lane = options?.lane {
      options?.lane = WorkLane(storedName: identifier(lane.name), width: lane.width)
    }
    return WorkProgress(
      attempt: old.attempt, start: old.start, release: release, failureCount: old.failureCount,
      deathCount: old.deathCount,
      cancelRequest: old.cancelRequest.map {
        WorkProgress.CancelRequest(fact: $0.fact, reason: text($0.reason))
      },
      hasWaited: old.hasWaited, parking: old.parking, trigger: old.trigger, options: options,
      arguments: try redact(old.arguments), awaited: old.awaited, steps: steps,
      stepFailures: old.stepFailures.map { failures in
        WorkReleased.StepFailures(redact(failures.step), count: failures.count)
      },
      creationAttachmentByteCount: old.creationAttachmentByteCount,
      lastPosition: old.lastPosition, lastTime: old.lastTime)
  }

  private func redact(_ step: StepIdentity) -> StepIdentity {
    guard case .key(let key) = step.distinction else { return step }
    return StepIdentity(step.name, .key(identifier(key)))
  }

  private func redact(
    _ attachment: [UInt8], at position: Position, of promise: PromiseEntity
  ) throws(PayloadDamage) -> [UInt8] {
    if let resolution = promise.resolution, resolution.fact.position == position {
      return try self.attachment(
        PromiseResolved.self, of: resolution.payload, attachment, isJoint: promise.isJoint)
    }
    if let step = promise.progress?.steps.first(where: { $0.fact.position == position }) {
      return try self.attachment(WorkStepFinished.self, of: step.payload, attachment)
    }
    return ending(.arguments, attachment)
  }

  // MARK: Handlers

  private func redact(_ old: HandlerEntity) throws(PayloadDamage) -> HandlerEntity {
    var description = old.description
    description.key = nil
    description.label = description.label.map(text)
    description.scopes = description.scopes.map(identifier)
    var calls: [CallID: OpenCall] = [:]
    for (id, call) in old.openCalls {
      calls[id] = OpenCall(
        id: id, purpose: call.purpose, firstStart: call.firstStart,
        arguments: try redact(call.arguments), references: call.references,
        bound: try redact(call.bound), attempt: call.attempt, newestStart: call.newestStart,
        release: call.release)
    }
    var finish: HandlerEntity.Finish?
    if let last = old.lastFinish { finish = try redact(last) }
    return HandlerEntity(
      id: old.id, created: old.created, description: description, bound: try redact(old.bound),
      openCalls: calls, lastFinish: finish,
      invalidation: old.invalidation.map {
        HandlerEntity.Invalidation(
          fact: $0.fact, cause: $0.cause, call: $0.call, runsCode: $0.runsCode,
          reason: text($0.reason))
      },
      isSpent: old.isSpent, lastPosition: old.lastPosition, lastTime: old.lastTime)
  }

  private func redact(
    _ finish: HandlerEntity.Finish
  ) throws(PayloadDamage) -> HandlerEntity.Finish {
    guard case .inline(let report) = finish.report else { return finish }
    let bytes = ending(.report(hasValue: finish.outcome == .returned), report.encoded)
    return HandlerEntity.Finish(
      fact: finish.fact, call: finish.call, purpose: finish.purpose, attempt: finish.attempt,
      outcome: finish.outcome,
      report: .inline(try HandlerCallFinished.Report(parsing: bytes, outcome: finish.outcome)))
  }

  private func redact(
    _ attachment: [UInt8], at position: Position, of handler: HandlerEntity
  ) throws(PayloadDamage) -> [UInt8] {
    if let finish = handler.lastFinish, finish.fact.position == position {
      return ending(.report(hasValue: finish.outcome == .returned), attachment)
    }
    return ending(.arguments, attachment)
  }

  // MARK: Arguments

  private func redact(_ bound: BoundArguments?) throws(PayloadDamage) -> BoundArguments? {
    guard let bound else { return nil }
    return BoundArguments(
      arguments: try redact(bound.arguments), references: bound.references,
      position: bound.position)
  }

  private func redact(_ bound: BoundArguments) throws(PayloadDamage) -> BoundArguments {
    BoundArguments(
      arguments: try redact(bound.arguments), references: bound.references,
      position: bound.position)
  }

  private func redact(_ place: ArgumentsReference) throws(PayloadDamage) -> ArgumentsReference {
    guard case .inline(let arguments) = place else { return place }
    return .inline(try StoredArguments(parsing: ending(.arguments, arguments.encoded)))
  }

  private func decoded<Payload: EventPayload>(
    _ bytes: [UInt8]
  ) throws(PayloadDamage) -> Payload {
    do throws(LedgerError) {
      return try Payload(decoding: bytes)
    } catch {
      throw PayloadDamage(what: error.message)
    }
  }
}
