import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Stops the process, as a debugger or the system would, the next time that it passes the gate.
final class StoppingGate: Sendable {
  private let isArmed = Atomic<Bool>(false)

  func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

  func passed() {
    guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
    Output.line("stopping")
    // The signal goes to this thread. Another one, chosen by the system, might stop the process
    // only after this one has left the gate.
    pthread_kill(pthread_self(), SIGSTOP)
  }
}
