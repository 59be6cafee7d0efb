import Foundation
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Sessions whose processes are gone, found by others.
@Suite(.timeLimit(.minutes(5))) struct DeadSessionTests {
  private let temporary: TemporaryLedger
  private let directory: LedgerDirectory

  init() throws {
    temporary = try TemporaryLedger()
    directory = LedgerDirectory(temporary.path)
  }

  private var configuration: LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.instance = "another"
    configuration.automaticCompaction = nil
    configuration.pollInterval = .milliseconds(500)
    return configuration
  }

  private func store() throws -> LMDBEventStore {
    try LMDBEventStore.openOrCreate(
      directory, options: StoreOptions(sizeLimit: 1 << 30),
      newLedgerID: LedgerID(entityID: .numbered(1)),
      now: .at(0))
  }

  /// The content that a dead process left in its lock file.
  enum Left: CaseIterable {
    case beforeARestart, killed, killedBeforeItWasNoted, nothing

    var content: [UInt8]? {
      let own = ProcessIdentity.current
      let gone = ProcessIdentity(boot: own.boot, id: .max, startTime: 1)
      let boot = "00000000-0000-4000-8000-000000000000"
      return switch self {
      case .beforeARestart:
        SessionNote(ProcessIdentity(boot: boot, id: own.id, startTime: 1)).encoded
      case .killed: SessionNote(gone).encoded
      case .killedBeforeItWasNoted: []
      case .nothing: nil
      }
    }
  }

  private func leave(_ left: Left, of session: SessionID) throws {
    try FileManager.default.createDirectory(
      atPath: directory.sessions, withIntermediateDirectories: true)
    if let content = left.content {
      try Data(content).write(to: URL(fileURLWithPath: directory.sessionLock(session)))
    }
  }

  @Test(arguments: Left.allCases, SessionRole.allCases)
  func theNextOpeningEndsItWhateverItsRole(left: Left, role: SessionRole) async throws {
    let store = try store()
    let gone = try WatchedSession(store, 1, clock: SystemLedgerClock(), role: role)
    try gone.commit([CreateHandler(.numbered(1))])
    try gone.commit([StartCall(.numbered(1), .numbered(1))])
    // With or without a freeze, the log and the file may disagree.
    if left == .killed { try gone.commit([FreezeSession()]) }
    store.close()
    try leave(left, of: .numbered(1))

    let next = try await temporary.open(as: .operator, configuration: configuration)
    let events = try BlockingInspector(at: temporary.path).events()
      .filter { $0.subject == SessionID.numbered(1).entityID && $0.kind == .sessionClosed }
    #expect(events.count == 1)
    #expect(try events.first?.decode(as: SessionClosed.self)?.reason == .died)
    // The call is given back, and no file is left.
    #expect(try await next.unfinishedCalls().map(\.id) == [.numbered(1)])
    #expect(!FileManager.default.fileExists(atPath: directory.sessionLock(.numbered(1))))
    await next.close()
  }

  @Test func aFrozenSessionWhoseProcessRunsIsLeftAlone() async throws {
    let frozen = try await temporary.open(configuration: configuration)
    #expect(try await frozen.freeze())
    // Of the same instance, too.
    for role in SessionRole.allCases {
      let other = try await temporary.open(as: role, configuration: configuration)
      _ = try await other.createPromise(of: Int.self)
      await other.close()
    }
    try await frozen.unfreeze()
    await frozen.close()
  }

  @Test func anOpeningEndsABoundedNumberAndThePollsTheOthers() async throws {
    // Each death that a poll finds is a commit, and other tests use the disk meanwhile.
    let count = SessionRound.maximumCount + 2 * SessionRound.usualCount
    let store = try store()
    let maker = try WatchedSession(store, 1, clock: SystemLedgerClock())
    for start in stride(from: 2, through: count, by: 100) {
      let numbers = start..<min(start + 100, count + 1)
      try maker.commit(numbers.map { OpenForeignSession(id: .numbered($0)) })
      for number in numbers { try leave(.killed, of: .numbered(number)) }
    }
    store.close()

    let next = try await temporary.open(configuration: configuration)
    let opening = try BlockingInspector(at: temporary.path).events(limit: 10_000)
    let commit = try #require(opening.last { $0.kind == .sessionOpened })
    let early = opening.filter { $0.kind == .sessionClosed && $0.position < commit.position }
    #expect(early.count == SessionRound.maximumCount)
    var deaths = 0
    for try await event in next.events() where event.kind == .sessionClosed {
      deaths += 1
      if deaths == count { break }
    }
    #expect(deaths == count)
    await next.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.sessions) == [])
  }

  // MARK: Orphaned files

  @Test func filesOfSessionsThatAreNotInTheLogOrEndedGoAtTheNextOpening() async throws {
    let store = try store()
    let maker = try WatchedSession(store, 1, clock: SystemLedgerClock())
    try maker.commit([OpenForeignSession(id: .numbered(2))])
    try maker.commit([CloseSession(id: .numbered(2), reason: .died)])
    try maker.commit([CloseSession(id: .numbered(1), reason: .closed)])
    store.close()
    for number in 1...3 { try leave(.killed, of: .numbered(number)) }
    try leave(.killedBeforeItWasNoted, of: .numbered(4))
    // Just made by a process that is opening its session, and frozen before this build knew of it.
    let opening = try SessionLock(directory, .numbered(5))
    try SessionLock(directory, .numbered(6)).freeze()
    try Data().write(to: URL(fileURLWithPath: directory.sessions + "/note"))

    #expect(UncleanEnd.isSeen(in: directory))
    let next = try await temporary.open(as: .operator, configuration: configuration)
    let names = [SessionID.numbered(5), .numbered(6), next.session].map { "\($0).lock" } + ["note"]
    #expect(try Set(FileSystem.list(directory.sessions)) == Set(names))
    #expect(!UncleanEnd.isSeen(in: directory))
    await next.close()
    opening.end()
  }

  @Test func aSessionThatThisBuildCannotReadKeepsItsFile() async throws {
    let store = try store()
    let maker = try WatchedSession(store, 1, clock: SystemLedgerClock())
    try maker.commit([CloseSession(id: .numbered(1), reason: .closed)])
    try store.appendSessionOfALaterVersion(.numbered(2))
    store.close()
    // A later build may store more there than this one can read.
    try leave(.killedBeforeItWasNoted, of: .numbered(2))
    let next = try await temporary.open(as: .operator, configuration: configuration)
    _ = try await next.createPromise(of: Int.self)
    #expect(try FileSystem.kind(directory.sessionLock(.numbered(2))) != nil)
    await next.close()
    #expect(try FileSystem.kind(directory.sessionLock(.numbered(2))) != nil)
  }
}

extension LMDBEventStore {
  /// Records that a session of a later build opened.
  fileprivate func appendSessionOfALaterVersion(_ id: SessionID) throws {
    _ = try commit(
      CommitID(session: id, number: 1), after: try head(),
      patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
      decide: { (_, _) throws(LedgerError) in
        var batch = EventBatch()
        try batch.append(
          NewEvent(
            kind: .sessionOpened, version: 60_000, time: .at(0), subject: id.entityID,
            payload: [1, 2, 3]))
        return batch
      })
  }
}
