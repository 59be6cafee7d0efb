import Dispatch
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerPromises

/// A blocking wait in the way of the very outcome that it waits for.
@Suite(.timeLimit(.minutes(10))) struct BlockedDeliveryTests {
  @Test func itEndsAndTheOutcomeArrivesAfterwards() async throws {
    let executor = PromiseExecutor.serial(label: "blocked")
    let offered = Offered()
    let end = offered.promise.map(on: executor) { $0 + 1 }.map(on: .inline) { $0 }
    let codes = Recorder<PromiseError.Code?>()
    let hasEnded = DispatchSemaphore(value: 0)
    Promise.value((), on: executor).done {
      do {
        _ = try end.wait(timeout: .seconds(1), forDelivery: .milliseconds(1))
      } catch {
        codes.record((error as? PromiseError)?.code)
      }
      hasEnded.signal()
    }
    while end.storage.machine.withLock({ $0.listObservers().observers.isEmpty }),
      codes.events.isEmpty
    {
      await Task.yield()
    }
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(1))
    let isInTime = Recorder<Bool>()
    // On a thread that may block.
    await onSmallStack {
      isInTime.record(hasEnded.wait(timeout: .now() + .seconds(60)) == .success)
    }
    try #require(isInTime.events == [true], "the wait never ends")
    #expect(codes.events == [.timedOut])
    #expect(try await end.value == 2)
  }
}
