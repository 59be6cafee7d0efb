import Synchronization

// MARK: - Commands

extension WorkFlow {
  /// Notes that a command for the newest attempt is on its way, which may take the work up if it was given back.
  func beginCommand() { contents.withLock { $0.commandCount += 1 } }

  func endCommand() {
    let waiters = contents.withLock { contents in
      contents.commandCount -= 1
      return contents.takeSupersededWaiters()
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// The number of the attempt that another command of this code has started; `nil` if none has.
  ///
  /// Call it after the command for an attempt was superseded.
  func newerAttempt(than attempt: UInt32) async -> UInt32? {
    while true {
      if self.attempt > attempt { return self.attempt }
      let mayCome = await withCheckedContinuation { continuation in
        let waiters = contents.withLock { contents -> [CheckedContinuation<Bool, Never>] in
          contents.supersededWaiters.append(continuation)
          // If all commands wait for each other, nothing will come.
          let isHopeless = contents.supersededWaiters.count >= contents.commandCount
          return isHopeless ? contents.takeSupersededWaiters() : []
        }
        for waiter in waiters { waiter.resume(returning: false) }
      }
      if !mayCome { return self.attempt > attempt ? self.attempt : nil }
    }
  }
}

extension WorkFlow.Contents {
  mutating func takeSupersededWaiters() -> [CheckedContinuation<Bool, Never>] {
    defer { supersededWaiters = [] }
    return supersededWaiters
  }
}

// MARK: - Ends

extension WorkFlow {
  /// Notes that the code must end: it begins nothing more, but a body that has ended still keeps its result.
  func interrupt() { contents.withLock { $0.isInterrupted = true } }

  /// - Throws: ``WorkSuspended`` if the code has lost the work, or must end.
  func requireTime() throws { try contents.withLock { try $0.requireTime() } }

  /// Whether an operation of the code has failed because the code must end.
  var wasCutOff: Bool { contents.withLock { $0.wasCutOff } }

  /// Notes that the work is cancelled: bodies that run are cancelled, and waits end.
  func noteCancelRequest() {
    var bodies: [@Sendable () -> Void] = []
    change { contents in
      bodies = contents.noteCancelRequest()
      return contents.takeWaiters()
    }
    for cancel in bodies { cancel() }
  }

  /// Notes that the code has lost the work, or has ended: from now on, every operation throws ``WorkSuspended``.
  ///
  /// - Parameter fault: The reason to park the work.
  func end(parking fault: StoredError? = nil) {
    change { contents in
      contents.fault = contents.fault ?? fault
      contents.phase = .ended
      return contents.takeWaiters() + contents.takePhaseWaiters()
    }
  }

  /// Changes the state, and then resumes those that wait for the change.
  func change(_ body: (inout Contents) -> [CheckedContinuation<Void, Never>]) {
    let waiters = contents.withLock { body(&$0) }
    for waiter in waiters { waiter.resume() }
  }
}
