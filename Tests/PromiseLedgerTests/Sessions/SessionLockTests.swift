import Foundation
import LedgerSystem
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import PromiseLedger

/// How others tell a live session from a frozen and a dead one.
@Suite struct SessionLockTests {
  private let temporary: TemporaryLedger
  private let directory: LedgerDirectory
  private let id = SessionID.numbered(1)

  init() throws {
    temporary = try TemporaryLedger()
    directory = LedgerDirectory(temporary.path)
    try FileManager.default.createDirectory(
      atPath: directory.sessions, withIntermediateDirectories: true)
  }

  @Test func theFileTellsAliveFromFrozenFromDead() throws {
    #expect(SessionLock.probe(directory, id) == .dead)
    let lock = try SessionLock(directory, id)
    #expect(SessionLock.probe(directory, id) == .alive)
    try lock.freeze()
    #expect(SessionLock.probe(directory, id) == .frozen)
    let again = try SessionLock(directory, id)
    #expect(SessionLock.probe(directory, id) == .alive)
    again.end()
    #expect(SessionLock.probe(directory, id) == .dead)
  }

  @Test func aFileThatNobodyLocksIsOfADeadSession() throws {
    // What a killed process leaves.
    try Data("open".utf8).write(to: URL(fileURLWithPath: directory.sessionLock(id)))
    #expect(SessionLock.probe(directory, id) == .dead)
  }

  @Test func aFileThatCannotBeOpenedProvesNothing() throws {
    try FileManager.default.createDirectory(
      atPath: directory.sessionLock(id), withIntermediateDirectories: false)
    #expect(SessionLock.probe(directory, id) == .alive)
  }

  @Test func aSessionThatFreezesAndComesBackIsNeverTakenForDead() throws {
    let first = try SessionLock(directory, id)
    try first.freeze()
    let isOver = Flag()
    let findings = Mutex<Set<SessionLock.Finding>>([])
    let prober = try SystemThread.start(name: "prober") { [directory, id] in
      while !isOver.isSet { _ = findings.withLock { $0.insert(SessionLock.probe(directory, id)) } }
    }
    for _ in 0..<2_000 { try SessionLock(directory, id).freeze() }
    isOver.set()
    prober.join()
    #expect(!findings.withLock { $0 }.contains(.dead))
    #expect(!findings.withLock { $0 }.isEmpty)
  }

  @Test func aDeathNoticeIsDroppedWhenTheSessionShowsASignOfLife() throws {
    var ledger = PureLedger()
    try ledger.commit(OpenSession(.sample(), newLedgerID: LedgerID(entityID: .numbered(9))))
    let lock = try SessionLock(directory, id)
    #expect(kinds(of: .deathNotice(id, directory), in: ledger) == [])
    try lock.freeze()
    #expect(kinds(of: .deathNotice(id, directory), in: ledger) == [])
    #expect(
      kinds(of: .deathNotice(id, directory, mayBeFrozen: true), in: ledger) == [.sessionClosed])
    SessionLock.removeFile(directory, id)
    #expect(kinds(of: .deathNotice(id, directory), in: ledger) == [.sessionClosed])
  }

  private func kinds(of job: Job, in ledger: PureLedger) -> [EventKind] {
    var ledger = ledger
    var decision = ledger.decision()
    _ = job.decide(&decision)
    let known = ledger.frames.count
    ledger.keep(decision)
    return ledger.frames[known...].flatMap { (try? $0.events().map(\.kind)) ?? [] }
  }
}
