import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerRuntime
@testable import PromiseLedger

/// Trees and traces of a ledger in use, and of its files.
@Suite(.timeLimit(.minutes(5)))
struct WorkHistoryTests {
  private let lab: WorkLedger

  init() throws { lab = try WorkLedger() }

  @Test(arguments: [false, true])
  func sessionsAndInspectorsSeeTheSame(isFolded: Bool) async throws {
    let ledger = try await lab.open()
    let promise = try await ledger.createPromise(of: Int.self)
    let work = try await promise.then(ScriptedWork.self)
    if isFolded { try await ledger.compact(.foldOnly) }
    let inspector = try await Ledger.inspect(at: lab.temporary.path)
    let tree = try await inspector.tree(of: promise.id)
    #expect(tree?.nodes.map(\.id) == [promise.id, work.id])
    #expect(tree?.nodes.map(\.relation) == [nil, .continuation])
    let state = try await ledger.state()
    #expect(try state.tree(of: promise.id, at: .now) == tree)
    #expect(try await inspector.tree(of: promise.id, limit: 1)?.leftOutCount == 1)
    #expect(try await inspector.tree(of: PromiseKey("none").promiseID) == nil)
    let trace = try await inspector.trace(of: work.id)
    #expect(trace?.spans.map(\.content) == [.queued(.after(promise.id, .fulfilled))])
    #expect(try state.trace(of: work.id, at: .now)?.spans == trace?.spans)
    #expect(try await inspector.trace(of: promise.id) == nil)
    await ledger.close()
    inspector.close()
  }

  /// Compactions delete events while a state is held; what the record has is still shown.
  @Test func aTraceOutlivesItsEvents() async throws {
    let ledger = try await lab.open()
    let work = try await ledger.start(ScriptedWork())
    let state = try await ledger.state()
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    try await ledger.compact(policy)
    let inspector = try await Ledger.inspect(at: lab.temporary.path)
    let trace = try #require(try await inspector.trace(of: work.id))
    #expect(trace.eventsDeletedThrough != nil && trace.spans.count == 1)
    #expect(try state.position < inspector.blocking.head)
    await ledger.close()
    inspector.close()
  }
}
