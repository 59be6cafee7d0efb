import Logging

// MARK: - Calls that begin with effects

extension HandlerRunner {
  /// Notes the calls that may begin with effects while `body` commits these, so that nothing else runs them.
  ///
  /// - Parameter body: Returns the calls that began; `nil` if its answer does not tell, because an earlier commit
  ///   of the same effects may have succeeded without an answer.
  /// - Returns: The calls that began, which stay noted.
  func noting(
    _ effects: RequestedEffects, _ body: () async throws -> [StartedCall]?
  ) async throws -> [StartedCall] {
    let followers = note(effects)
    var calls: [StartedCall] = []
    defer { forget(followers, except: calls) }
    if let answered = try await body() {
      calls = answered
    } else {
      calls = await unanswered(followers)
    }
    return calls
  }

  /// Runs the calls that began with effects, if the commit of these succeeded although it was not answered.
  func performUnanswered(_ effects: RequestedEffects) {
    let followers = note(effects)
    guard !followers.isEmpty else { return }
    let runner = HandlerRunner(ledger: ledger)
    Task.detached {
      let calls = await runner.unanswered(followers)
      runner.forget(followers, except: calls)
      await runner.perform(chain: calls)
    }
  }

  /// The calls among some that this session began, and that nothing runs. It looks for them even if the task was
  /// cancelled.
  private func unanswered(_ followers: [FollowingCall]) async -> [StartedCall] {
    guard !followers.isEmpty else { return [] }
    return await Task.detached { [self] in
      do {
        return try await ledger.patiently("the calls that effects began cannot be read yet") {
          try await begunCalls(followers)
        }
      } catch {
        // Usually, the session has ended, and has given them back.
        ledger.configuration.logger.warning(
          "calls that effects may have begun cannot be run", metadata: ["error": "\(error)"])
        return []
      }
    }.value
  }

  private func begunCalls(_ followers: [FollowingCall]) async throws -> [StartedCall] {
    let session = ledger.session
    let needs = SnapshotNeeds(ids: Set(followers.map(\.handler.entityID)))
    return try await ledger.engine.read(needs: needs) { state in
      try followers.compactMap { follower in
        // If anything else ran it since, that was another attempt.
        guard let entity = try state.handler(follower.handler),
          let call = entity.openCalls[follower.call], call.attempt == 1,
          call.newestStart.session == session
        else { return nil }
        return StartedCall(entity: entity, call: call)
      }
    }
  }

  /// - Returns: The calls that may begin with effects, but for those that are noted already.
  private func note(_ effects: RequestedEffects) -> [FollowingCall] {
    effects.effects.compactMap(\.followingCall).filter { running.begin($0.call) }
  }

  private func forget(_ followers: [FollowingCall], except calls: [StartedCall]) {
    let kept = Set(calls.map(\.call.id))
    for follower in followers where !kept.contains(follower.call) { running.end(follower.call) }
  }
}

/// A call of a handler, or a run of its invalidation code, that an effect begins.
private struct FollowingCall: Sendable {
  let handler: HandlerID
  let call: CallID
}

extension HandlerEffect {
  fileprivate var followingCall: FollowingCall? {
    switch action {
    case .callHandler(let handler, let call, _), .invalidateHandler(let handler, let call, _, _):
      FollowingCall(handler: handler, call: call)
    case .resolvePromise, .createPromise, .createHandler: nil
    }
  }
}
