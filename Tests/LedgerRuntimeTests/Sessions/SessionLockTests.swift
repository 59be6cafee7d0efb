import Foundation
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// How other sessions distinguish a live session from a frozen and a dead one.
@Suite(.timeLimit(.minutes(10))) struct SessionLockTests {
  private let temporary: TemporaryLedger
  private let directory: LedgerDirectory
  private let registry: FileSessionRegistry
  private let id = SessionID.numbered(1)
  /// As the log has it; its process is this one.
  private let session = SessionEntity.open(.numbered(1), processID: ThisProcess.id)

  init() throws {
    temporary = try TemporaryLedger()
    directory = LedgerDirectory(temporary.path)
    registry = FileSessionRegistry(in: directory)
    try FileManager.default.createDirectory(
      atPath: directory.sessions, withIntermediateDirectories: true)
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: directory.sessionLock(id)))
  }

  @Test func theFileTellsAliveFromFrozenFromDead() throws {
    #expect(registry.findings(of: [session]) == [.dead])
    let lock = try SessionLock(directory, id)
    #expect(registry.findings(of: [session]) == [.alive])
    try lock.freeze()
    #expect(registry.findings(of: [session]) == [.frozen])
    let again = try SessionLock(directory, id)
    #expect(registry.findings(of: [session]) == [.alive])
    again.end()
    #expect(registry.findings(of: [session]) == [.dead])
  }

  /// The content of a file that no session locks, and its meaning.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: [UInt8]
    let finding: SessionFinding
  }

  private static let own = ProcessIdentity.current
  private static let otherBoot = ProcessIdentity(
    boot: "00000000-0000-4000-8000-000000000000", id: own.id, startTime: own.startTime)
  private static let otherStart = ProcessIdentity(
    boot: own.boot, id: own.id, startTime: own.startTime + 1)
  private static let gone = ProcessIdentity(boot: own.boot, id: .max, startTime: 1)

  @Test(arguments: [
    Row(
      testDescription: "its process runs",
      content: SessionNote(own).encoded, finding: .frozen),
    Row(
      testDescription: "written before the machine was started anew",
      content: SessionNote(otherBoot).encoded, finding: .dead),
    Row(
      testDescription: "its process id was given to another process",
      content: SessionNote(otherStart).encoded, finding: .dead),
    Row(
      testDescription: "its process is gone",
      content: SessionNote(gone).encoded, finding: .dead),
    Row(testDescription: "empty, as a power loss leaves it", content: [], finding: .dead),
    Row(
      testDescription: "torn", content: Array(SessionNote(own).encoded.dropLast()),
      finding: .dead),
    Row(
      testDescription: "too long",
      content: SessionNote(own).encoded + [UInt8](repeating: 10, count: 5_000),
      finding: .dead),
    Row(testDescription: "without a process", content: Array("frozen".utf8), finding: .dead),
  ])
  func aFileWithoutALockIsJudgedByItsContent(row: Row) throws {
    try write(row.content)
    #expect(registry.findings(of: [session]) == [row.finding])
  }

  @Test func ofAFileThatCannotBeReadTheProcessInTheLogTells() throws {
    try FileManager.default.createDirectory(
      atPath: directory.sessionLock(id), withIntermediateDirectories: false)
    #expect(registry.findings(of: [session]) == [.alive])
    #expect(registry.findings(of: [.open(id, processID: .max)]) == [.dead])
  }

  @Test func aLinkIsNotFollowed() throws {
    let target = temporary.path + "/target"
    try Data(SessionNote(.current).encoded).write(to: URL(fileURLWithPath: target))
    try FileManager.default.createSymbolicLink(
      atPath: directory.sessionLock(id), withDestinationPath: target)
    #expect(registry.findings(of: [.open(id, processID: .max)]) == [.dead])
  }

  @Test func aSessionThatFreezesAndComesBackIsNeverTakenForDead() throws {
    let first = try SessionLock(directory, id)
    try first.freeze()
    let isOver = Flag()
    let findings = Mutex<Set<SessionFinding>>([])
    let prober = try SystemThread.start(name: "prober") { [registry, session] in
      while !isOver.isSet {
        findings.withLock { $0.formUnion(registry.findings(of: [session])) }
      }
    }
    for _ in 0..<2_000 { try SessionLock(directory, id).freeze() }
    isOver.set()
    prober.join()
    #expect(!findings.withLock { $0 }.contains(.dead))
    #expect(!findings.withLock { $0 }.isEmpty)
  }

  // MARK: A disk without room

  private static let noRoom: SessionLock.Writer = { (file, _) throws(SystemError) in
    throw SystemError(.noSpace, "pwrite", path: file.path)
  }

  @Test func aSessionOpensWithoutRoomForItsNote() throws {
    let lock = try SessionLock(directory, id, writing: Self.noRoom)
    #expect(registry.findings(of: [session]) == [.alive])
    let error = #expect(throws: LedgerError.self) { try lock.freeze() }
    #expect(error?.code == .diskFull)
    #expect(registry.findings(of: [session]) == [.dead])
  }

  @Test func aNoteThatHadNoRoomIsWrittenAtTheFreeze() throws {
    let isFull = Flag()
    isFull.set()
    let lock = try SessionLock(directory, id) { (file, note) throws(SystemError) in
      if isFull.isSet { throw SystemError(.quotaExceeded, "pwrite", path: file.path) }
      try file.writeContents(note)
    }
    isFull.clear()
    try lock.freeze()
    #expect(registry.findings(of: [session]) == [.frozen])
  }

  @Test func aDiskThatIsFullAtTheFreezeTakesNoSessionForDead() throws {
    let isFull = Flag()
    let lock = try SessionLock(directory, id) { (file, note) throws(SystemError) in
      if isFull.isSet { throw SystemError(.inputOutput, "pwrite", path: file.path) }
      try file.writeContents(note)
    }
    isFull.set()
    try lock.freeze()
    #expect(registry.findings(of: [session]) == [.frozen])
    // Nor when it comes back, which needs no writing either.
    let again = try SessionLock(directory, id, writing: Self.noRoom)
    try again.freeze()
    #expect(registry.findings(of: [session]) == [.frozen])
  }

  @Test func aSessionThatCannotBeNotedLeavesNoFile() throws {
    let error = #expect(throws: LedgerError.self) {
      _ = try SessionLock(directory, id) { (file, _) throws(SystemError) in
        throw SystemError(.inputOutput, "pwrite", path: file.path)
      }
    }
    #expect(error?.code == .ioFailure)
    #expect(try FileSystem.list(directory.sessions) == [])
  }

  // MARK: Removals

  @Test func aFileThatIsLockedIsNotRemoved() throws {
    let lock = try SessionLock(directory, id)
    registry.removeLeftovers(of: [id])
    #expect(registry.findings(of: [session]) == [.alive])
    try lock.freeze()
    registry.removeLeftovers(of: [id])
    #expect(try FileSystem.list(directory.sessions) == [])
  }

  /// The attack: `sessions` leads to a directory whose files have the names of sessions.
  @Test func nothingIsRemovedWhereALinkLeads() throws {
    let lock = try SessionLock(directory, id)
    let moved = temporary.path + "/moved"
    try FileManager.default.moveItem(atPath: directory.sessions, toPath: moved)
    let foreign = temporary.path + "/foreign"
    try FileSystem.createDirectory(foreign)
    let file = "\(foreign)/\(id).lock"
    try FileSystem.writeAtomically([1], to: file)
    try FileManager.default.createSymbolicLink(
      atPath: directory.sessions, withDestinationPath: foreign)
    registry.removeLeftovers(of: [id])
    lock.end()
    #expect(try FileSystem.kind(file) != nil)
    #expect(throws: LedgerError.self) { _ = try SessionLock(directory, .numbered(2)) }
    #expect(try FileSystem.list(foreign) == ["\(id).lock"])
  }

  @Test func aFileThatIsRemovedBeforeItIsLockedIsMadeAnew() throws {
    // A cleaner removes files without a lock, in the instant before the session locks them.
    let isOver = Flag()
    let cleaner = try SystemThread.start(name: "cleaner") { [registry, id] in
      while !isOver.isSet { registry.removeLeftovers(of: [id]) }
    }
    for _ in 0..<500 {
      let lock = try SessionLock(directory, id)
      #expect(registry.findings(of: [session]) == [.alive])
      lock.end()
    }
    isOver.set()
    cleaner.join()
  }
}

extension SessionEntity {
  /// A session that is open, according to the log.
  static func open(_ id: SessionID, processID: Int32) -> SessionEntity {
    SessionEntity(
      id: id, opened: .sample(), openedAt: .at(0), processID: processID, status: .open,
      lastPosition: Position(rawValue: 2), lastTime: .at(0))
  }
}
