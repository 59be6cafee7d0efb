import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting

/// When a session times out the promises of other sessions.
@Suite(.timeLimit(.minutes(1))) struct ForeignDeadlineTests {
  private static let pollInterval = Duration.seconds(3_600)

  /// A store in memory that says whether it is remote.
  private final class PlacedStore: ForwardingStore {
    let store = InMemoryEventStore()
    let isRemote: Bool

    init(isRemote: Bool) { self.isRemote = isRemote }
  }

  private func open(_ store: PlacedStore, _ clock: ManualLedgerClock) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.pollInterval = Self.pollInterval
    return try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: configuration)
  }

  /// How long a session sleeps at the deadline of a promise; the poll interval if it times it out.
  private func sleep(isRemote: Bool, isOwn: Bool) async throws -> (time: Duration, delay: Duration)
  {
    let store = PlacedStore(isRemote: isRemote)
    // The clock of the creator stands still.
    let (clock, other) = (ManualLedgerClock(), ManualLedgerClock())
    let creator = try await open(store, other)
    let session = try await open(store, isOwn ? other : clock)
    let deadline = other.now() + .seconds(60)
    _ = try await (isOwn ? session : creator).createPromise(of: Int.self, deadline: deadline)
    try await session.catchUp()
    await creator.close()
    (isOwn ? other : clock).advance(by: .seconds(60))
    let time = session.engine.timeUntilNextDeadline(store)
    await session.close()
    return (time, session.engine.foreignDeadlineDelay)
  }

  @Test func sessionsDoNotAllTimeOutAPromiseAtTheSameMoment() async throws {
    let (time, delay) = try await sleep(isRemote: true, isOwn: false)
    #expect(time == delay)
    #expect(delay > .zero && delay <= .milliseconds(200))
  }

  @Test(arguments: [(true, true), (false, false), (false, true)])
  func aPromiseThatIsItsOwnOrLocalIsTimedOutAtOnce(isRemote: Bool, isOwn: Bool) async throws {
    #expect(try await sleep(isRemote: isRemote, isOwn: isOwn).time == Self.pollInterval)
  }
}
