import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// What a runner reads of the snapshot.
@Suite(.timeLimit(.minutes(5)))
struct RunnerReadsTests {
  private let store = WatchedStore()
  private let clock = ManualLedgerClock()

  /// Notes where walks through lists begin.
  private func noteScans(in scans: ScanNotes) {
    store.onScan = { scans.add($0) }
  }

  @Test func aTimeThatComesSearchesTheTimesOfItsKindOnly() async throws {
    let ledger = try await openWork(on: store, clock: clock, handlers: try handlers())
    let timed = try await ledger.start(ScriptedWork(), at: clock.now() + .seconds(60))
    let later = try await ledger.start(OtherWork(), at: clock.now() + .seconds(120))
    try store.fold()
    try await running(LedgerRunner(ledger)) {
      // The runner has looked through all work when it runs this.
      _ = try await ledger.start(ScriptedWork()).outcome
      let scans = ScanNotes()
      noteScans(in: scans)
      clock.advance(by: .seconds(60))
      #expect(try await timed.outcome == .fulfilled(0))
      store.onScan = nil
      #expect(scans.count(of: .timedWork(ScriptedWork.kind)) > 0)
      #expect(scans.count(of: .timedWork(OtherWork.kind)) == 0)
      for kind in [ScriptedWork.kind, OtherWork.kind] {
        #expect(scans.count(of: .dueWork(kind)) == 0)
      }
      clock.advance(by: .seconds(60))
      #expect(try await later.outcome == .fulfilled("done"))
    }
  }

  /// What is known to be due may be run elsewhere, and no change announces what was left out.
  @Test func aRunnerThatMustSearchDoesNotWaitForAChange() async throws {
    let ledger = try await openWork(on: store, clock: SystemLedgerClock())
    let loop = try WorkLoop(ledger, kinds: nil, RunnerLimits())
    try loop.begin()
    try await loop.look()
    #expect(loop.timeUntilNext() == nil)
    var found = DueWork()
    found.incompleteKinds = [ScriptedWork.kind]
    loop.contents.withLock { $0.agenda.add(found) }
    #expect(loop.timeUntilNext() == .milliseconds(500))
    loop.end()
  }

  private func handlers() throws -> HandlerRegistry {
    var handlers = HandlerRegistry()
    try handlers.register(OtherWork.self) { OtherScript { _ in "done" } }
    return handlers
  }
}

/// The beginnings of walks through lists.
private final class ScanNotes: Sendable {
  private let starts = Mutex<[[UInt8]]>([])

  func add(_ start: [UInt8]) { starts.withLock { $0.append(start) } }

  func count(of list: OpenList) -> Int {
    let prefix = list.key(EntityID.numbered(0)).dropLast(16)
    return starts.withLock { starts in starts.count { $0.starts(with: prefix) } }
  }
}
