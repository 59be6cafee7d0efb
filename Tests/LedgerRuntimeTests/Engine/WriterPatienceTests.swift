import LedgerModelTestSupport
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// How long commands wait for a gate that another process keeps.
@Suite(.timeLimit(.minutes(10))) struct WriterPatienceTests {
  private let inbox = Inbox()
  private let log = JobLog()
  private let time = Stopwatch()
  private let store: StalledStore
  private let committer: GroupCommitter

  init() {
    store = StalledStore(time)
    committer = GroupCommitter(
      inbox: inbox, replica: Replica(), clock: SystemLedgerClock(), session: .numbered(1),
      role: .app, sessions: UnwatchedSessions(), now: { [time] in time.now })
    store.isStalled = false
    let opening = OpenSession(.sample(), newLedgerID: store.ledgerID)
    let error = committer.commitGroup(
      to: store, first: [Job(opening) { _ in }], takesCommands: false, stallTimeout: .zero)
    precondition(error == nil)
    store.isStalled = true
  }

  private func commit(budget: Duration? = nil) -> LedgerError.Code? {
    commitOnce(budget: budget)?.code
  }

  private func commitOnce(budget: Duration? = nil) -> LedgerError? {
    committer.commitGroup(to: store, stallTimeout: .seconds(5), budget: budget)
  }

  @Test func eachCommandHasItsOwnTime() {
    time.now = .seconds(100)
    inbox.add(log.job(1, submittedAt: .seconds(100)))
    store.onWait = { [inbox, log] in inbox.add(log.job(2, submittedAt: .seconds(103))) }
    #expect(commit() == .writerStalled)
    #expect(log.failures == [1: .writerStalled])
    #expect(inbox.hasCommands)

    #expect(commit() == .writerStalled)
    #expect(log.failures == [1: .writerStalled, 2: .writerStalled])
    #expect(store.waits == [.seconds(5), .seconds(3)])
    #expect(time.now == .seconds(108))
  }

  @Test func aCommandThatCameBeforeTheWaitBeganHasItsWholeTime() {
    // As after a long freeze.
    inbox.add(log.job(1, submittedAt: .seconds(100)))
    time.now = .seconds(200)
    #expect(commit() == .writerStalled)
    #expect(store.waits == [.seconds(5)])
    #expect(time.now == .seconds(205))
  }

  @Test func aFreezeThatIsHeldUpLeavesTheCommands() {
    time.now = .seconds(100)
    inbox.add(log.job(1, submittedAt: .seconds(100)))
    #expect(commit(budget: .milliseconds(250)) == .writerStalled)
    #expect(log.failures.isEmpty)
    committer.pause()
    time.now = .seconds(200)
    #expect(commit() == .writerStalled)
    #expect(store.waits == [.milliseconds(250), .seconds(5)])
    #expect(log.failures == [1: .writerStalled])
  }

  @Test func aCommitEndsTheWait() {
    time.now = .seconds(100)
    inbox.add(log.job(1, submittedAt: .seconds(100)))
    #expect(commit(budget: .seconds(4)) == .writerStalled)
    store.isStalled = false
    #expect(commit() == nil)
    store.isStalled = true
    time.now = .seconds(104)
    inbox.add(log.job(2, submittedAt: .seconds(104)))
    #expect(commit() == .writerStalled)
    #expect(store.waits == [.seconds(4), .seconds(5)])
  }

  @Test func aCommitThatOthersOutrunLeavesTheCommands() throws {
    time.now = .seconds(100)
    store.isStalled = false
    let head = try store.head()
    inbox.add(Job(CreatePromise(.numbered(1)), submittedAt: .seconds(100)) { _ in })
    // It is decided once more after the time.
    store.store.simulateConflicts(2)
    #expect(commit(budget: .zero) == .writerStalled)
    #expect(inbox.hasCommands)

    let isAsked = inbox.add(Inbox.Request.close({}))
    #expect(isAsked)
    store.store.simulateConflicts(1)
    #expect(commitOnce()?.lookAgain == .interrupted)
    #expect(inbox.hasCommands)
    #expect(try store.head() == head)

    #expect(commit() == nil)
    #expect(try store.head() > head)
  }
}

/// A time that only a test moves.
final class Stopwatch: Sendable {
  private let time = Mutex(Duration.zero)

  var now: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// An empty store whose gate is held by another process: waiting for it lasts as long as it may.
private final class StalledStore: ForwardingStore {
  private struct Contents {
    var waits: [Duration] = []
    var isStalled = true
    var onWait: (@Sendable () -> Void)?
  }

  let store = InMemoryEventStore()
  private let time: Stopwatch
  private let contents = Mutex(Contents())

  init(_ time: Stopwatch) { self.time = time }

  /// How long each commit was allowed to wait.
  var waits: [Duration] { contents.withLock { $0.waits } }

  var isStalled: Bool {
    get { contents.withLock { $0.isStalled } }
    set { contents.withLock { $0.isStalled = newValue } }
  }

  /// Called during the next wait.
  var onWait: (@Sendable () -> Void)? {
    get { contents.withLock { $0.onWait } }
    set { contents.withLock { $0.onWait = newValue } }
  }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    guard isStalled else { return try store.beginCommit(patience) }
    let onWait = contents.withLock { contents in
      contents.waits.append(patience.timeout)
      return contents.onWait.take()
    }
    onWait?()
    time.now += patience.timeout
    throw .writerStalled(nil, patience.waitInAll)
  }
}
