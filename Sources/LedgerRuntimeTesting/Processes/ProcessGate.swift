import LedgerModel
import LedgerSystem
import Synchronization

/// Lets the threads of a test's process use their store, holds them up, or turns them away.
final class ProcessGate: StoreSession, Sendable {
  /// A thread of the process.
  enum Visitor: Sendable, Hashable {
    case writer, listener, compactor
  }

  /// The process to which the session belongs.
  let user: StoreUser

  init(of user: StoreUser) { self.user = user }

  private struct State {
    var isSuspended = false
    var isKilled = false
    /// Told when the session freezes or ends.
    var observer: (@Sendable () -> Void)?
    /// The threads that are held up.
    var held: [Visitor: WakeSemaphore] = [:]
    /// Resumed once the listener is held up.
    var watcher: CheckedContinuation<Void, Never>?
    /// The session of the process, once it has begun.
    var session: SessionID?
    /// Whether others find the session ended.
    var isEnded = false
    /// Resumed once others find the session ended.
    var mourners: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Holds up a thread while the process is suspended.
  ///
  /// - Throws: `sessionEnded` if the process is killed.
  func pass(_ visitor: Visitor) throws(LedgerError) {
    while let semaphore = held(visitor) { _ = semaphore.wait(timeout: .seconds(3_600)) }
    try requireAlive()
  }

  func passToWrite() throws(LedgerError) { try pass(.writer) }

  func requireAlive() throws(LedgerError) {
    if isKilled { throw .processKilled }
  }

  var isKilled: Bool { state.withLock { $0.isKilled } }

  private func held(_ visitor: Visitor) -> WakeSemaphore? {
    let (semaphore, watcher) = state.withLock { state in
      guard state.isSuspended, !state.isKilled else {
        state.held[visitor] = nil
        return (WakeSemaphore?.none, CheckedContinuation<Void, Never>?.none)
      }
      let semaphore = state.held[visitor] ?? WakeSemaphore()
      state.held[visitor] = semaphore
      return (semaphore, visitor == .listener ? state.watcher.take() : nil)
    }
    watcher?.resume()
    return semaphore
  }

  /// Suspends the process, and waits until its listening thread is held up.
  ///
  /// - Parameter wake: Wakes that thread.
  func suspend(_ wake: () throws -> Void) async rethrows {
    state.withLock { $0.isSuspended = true }
    try wake()
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        guard state.held[.listener] == nil, !state.isKilled else { return true }
        state.watcher = continuation
        return false
      }
      if isHeld { continuation.resume() }
    }
  }

  func resume() { open { $0.isSuspended = false } }

  func kill() { open { $0.isKilled = true } }

  /// Calls `observer` each time that the session freezes or ends by itself.
  func notes(_ observer: @escaping @Sendable () -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Notes that the session froze or ended by itself.
  func noteRest() { state.withLock { $0.observer }?() }

  /// Notes the session of the process.
  func noteBegin(of session: SessionID) { state.withLock { $0.session = session } }

  /// Notes that what sessions left behind was removed.
  func noteRemoval(of sessions: [SessionID]) {
    let isOwn = state.withLock { $0.session.map(sessions.contains) ?? false }
    if isOwn { noteEnd() }
  }

  /// Notes that others find the session ended.
  func noteEnd() {
    let mourners = state.withLock { state in
      state.isEnded = true
      defer { state.mourners = [] }
      return state.mourners
    }
    for mourner in mourners { mourner.resume() }
  }

  /// Waits until others find the session ended, which is a moment after its callers learn of it.
  func end() async {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.mourners.append(continuation) }
        return state.isEnded
      }
      if isEnded { continuation.resume() }
    }
  }

  private func open(_ change: (inout State) -> Void) {
    let (held, watcher) = state.withLock { state in
      change(&state)
      return (Array(state.held.values), state.watcher.take())
    }
    for semaphore in held { semaphore.signal() }
    watcher?.resume()
  }
}

extension LedgerError {
  static var processKilled: LedgerError {
    LedgerError(
      .sessionEnded, "The process of this session was killed by a test. Open the ledger again.")
  }
}
