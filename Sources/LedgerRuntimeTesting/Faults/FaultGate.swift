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

  private let hasArrived: Promise<Void>
  private let arriver: Resolver<Void>
  private let isOpen = Atomic<Bool>(false)
  private let semaphore = WakeSemaphore()

  /// Makes a closed gate.
  ///
  /// - Parameter name: A name for errors.
  public init(_ name: String = "the gate") {
    self.name = name
    (hasArrived, arriver) = Promise<Void>.make()
  }

  /// No operation comes to a gate that is gone.
  deinit { arriver.fulfill(()) }

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
    isOpen.store(true, ordering: .sequentiallyConsistent)
    semaphore.signal()
  }

  /// Blocks the thread until the gate is open.
  func pass() {
    arriver.fulfill(())
    while !isOpen.load(ordering: .sequentiallyConsistent) {
      _ = semaphore.wait(timeout: .seconds(3_600))
    }
    // For another thread that waits.
    semaphore.signal()
  }
}
