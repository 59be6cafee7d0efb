import LedgerPromises
import LedgerSystem
import Synchronization

/// A gate at which an operation of a store waits until the test opens it.
///
/// ```swift
/// let gate = FaultGate("the slow disk")
/// try tester.plan([.delay(.append, until: gate)])
/// let creation = Task { try await app.ledger.createPromise(of: Int.self) }
/// try await gate.arrival()
/// gate.open()
/// ```
public final class FaultGate: Sendable {
  /// The name of the gate, in errors.
  public let name: String

  private struct State {
    var isOpen = false
    /// Whether `arriver` was told.
    var wasReached = false
    /// Wake the threads that wait.
    var sleepers: [WakeSemaphore] = []
  }

  private let hasArrived: Promise<Void>
  private let arriver: Resolver<Void>
  private let state = Mutex(State())

  /// Makes a closed gate.
  ///
  /// - Parameter name: A name for errors.
  public init(_ name: String = "the gate") {
    self.name = name
    (hasArrived, arriver) = Promise<Void>.make()
  }

  /// No operation comes to a gate that is gone.
  deinit { noteArrival() }

  /// Waits until an operation waits at the gate, or has passed it.
  ///
  /// - Parameter patience: The maximum time to wait, by the clock of the machine.
  /// - Throws: ``WaitedInVain`` if none came.
  public func arrival(patience: Duration = .seconds(60)) async throws {
    let hasArrived = hasArrived
    try await wait(for: "an operation at \(name)", patience) { try await hasArrived.value }
  }

  /// Lets the operation go on. A gate stays open.
  public func open() {
    state.withLock { $0.isOpen = true }
    wakeSleepers()
  }

  /// Lets the threads that wait look again whether they still must.
  func wakeSleepers() {
    for sleeper in state.withLock({ $0.sleepers }) { sleeper.signal() }
  }

  /// Ends the wait for an arrival; once only, because a promise that is settled twice is reported.
  private func noteArrival() {
    let isFirst = state.withLock { state in
      defer { state.wasReached = true }
      return !state.wasReached
    }
    if isFirst { arriver.fulfill(()) }
  }

  /// Blocks the thread until the gate is open, or its process is gone.
  func pass(unless isGone: () -> Bool) {
    noteArrival()
    let sleeper = WakeSemaphore()
    state.withLock { $0.sleepers.append(sleeper) }
    while !isGone(), !state.withLock({ $0.isOpen }) {
      _ = sleeper.wait(timeout: .seconds(3_600))
    }
    state.withLock { $0.sleepers.removeAll { $0 === sleeper } }
  }
}
