import LedgerModelTestSupport
import LedgerPromises
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(5))) struct ReplicaTests {
  @Test func waitersAfterTheEndAreToldAtOnce() {
    let replica = Replica()
    replica.failAll(.sessionClosed)
    let settlement = #expect(throws: LedgerError.self) {
      _ = try replica.settlement(of: .numbered(1), with: InMemoryEventStore())
    }
    let advance = #expect(throws: LedgerError.self) { _ = try replica.advance(past: .start) }
    #expect(settlement?.code == .closed)
    #expect(advance?.code == .closed)
  }

  @Test func waitersAtTheEndAreTold() async throws {
    let replica = Replica()
    let waiting = try replica.advance(past: .start)
    replica.failAll(.sessionClosed)
    let error = await #expect(throws: LedgerError.self) { try await waiting.value }
    #expect(error?.code == .closed)
  }
}
