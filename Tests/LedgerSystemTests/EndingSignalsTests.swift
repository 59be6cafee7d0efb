import Testing

@testable import LedgerSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite(.timeLimit(.minutes(1)))
struct EndingSignalsTests {
  /// A source of Dispatch would ignore it, because it has yet to begin.
  @Test func aSignalThatComesAtOnceIsNoted() async {
    EndingSignals.note([SIGUSR2])
    #expect(!EndingSignals.haveCome)
    kill(ThisProcess.id, SIGUSR2)
    while !EndingSignals.haveCome { await Task.yield() }
  }
}
