import Foundation
import LedgerLMDB
import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Ledgers that move to smaller files, and the sessions that go on meanwhile.
@Suite(.timeLimit(.minutes(5)))
struct ShrinkTests {
  private let temporary: TemporaryLedger
  private var directory: LedgerDirectory { LedgerDirectory(temporary.path) }

  init() throws { temporary = try TemporaryLedger() }

  // MARK: The result

  @Test func theFileIsSmallAndHoldsTheSame() async throws {
    let ledger = try await openWithFreeSpace()
    let kept = try await ledger.createPromise(key: PromiseKey("kept"), of: [UInt8].self)
    try await kept.fulfill([UInt8](repeating: 3, count: 30_000))
    let before = try contents()
    let plan = try await ledger.planShrink()
    for number in 2...3 {
      let report = try await ledger.shrink()
      let name = LedgerDirectory.generationName(UInt64(number))
      #expect(try await report.position == ledger.catchUp())
      #expect(try report.sizeInBytes == FileSystem.fileSize("\(temporary.path)/\(name)/data.mdb"))
      if number == 2 { #expect(report.sizeInBytesBefore == plan.sizeInBytes) }
      #expect(report.sizeInBytes <= plan.usedByteCount + 16 * 4_096)
      #expect(report.sizeInBytes < plan.sizeInBytes / 4)
      #expect(try generations() == [name] && directory.readCurrentGeneration() == name)
      #expect(try contents() == before)
      let metadata = try LMDBInspection(of: directory, locking: true).metadata
      #expect(metadata.generation == UInt64(number) && !metadata.isSealed)
    }
    #expect(try await kept.consume().count == 30_000)
    await ledger.close()
    try expectWhole()
    await (try temporary.open()).close()
  }

  @Test func aBackupIsOfTheFirstGeneration() async throws {
    let ledger = try await openWithFreeSpace()
    try await ledger.shrink()
    let target = LedgerDirectory(temporary.path + ".backup")
    let inspector = try BlockingInspector(at: temporary.path)
    _ = try inspector.backUp(to: target.path) {}
    #expect(try target.readCurrentGeneration() == LedgerDirectory.firstGeneration)
    let copy = try BlockingInspector(at: target.path)
    #expect(try copy.archive() == inspector.archive())
    await ledger.close()
  }

  // MARK: Others

  @Test func sessionsAndInspectionsGoOn() async throws {
    let app = try await openWithFreeSpace()
    let other = try await temporary.open(as: .operator)
    let follower = try BlockingInspector(at: temporary.path)
    let head = try follower.head
    let promise = try await app.createPromise(of: String.self)
    async let outcome = promise.consume()
    for number in 1...3 {
      try await other.shrink()
      // It was told nothing, and reads what the other session commits to the new files.
      _ = try await other.createPromise(key: PromiseKey("\(number)"), of: Int.self)
      let id = try PromiseKey("\(number)").promiseID
      #expect(try await app.record(of: id)?.status == .pending)
      try await app.promise(id: id, of: Int.self).fulfill(number)
      #expect(try await other.record(of: id)?.status == .resolved)
      let newcomer = try BlockingInspector(at: temporary.path)
      #expect(try await newcomer.head == app.catchUp())
      newcomer.close()
    }
    try await other.promise(id: promise.id, of: String.self).fulfill("done")
    #expect(try await outcome == "done")
    #expect(try await follower.events(after: head).last?.position == app.catchUp())
    for session in [app, other] { await session.close() }
    follower.close()
    try expectWhole()
  }

  #if os(Linux)
    @Test func nothingHoldsTheOldFile() async throws {
      let app = try await openWithFreeSpace()
      let other = try await temporary.open(as: .operator)
      try await other.shrink()
      _ = try await app.catchUp()
      let isOld = { (path: String) in
        path.hasPrefix(temporary.path) && path.contains(LedgerDirectory.firstGeneration)
      }
      // The thread that used them last closes them, perhaps a moment after others use the new ones.
      while openFiles().contains(where: isOld) { await Task.yield() }
      for session in [app, other] { await session.close() }
    }
  #endif

  /// Whenever an event is written, it is in the new files; and a writer that comes too late for the old
  /// ones waits.
  @Test(arguments: [ShrinkStep.copied, .named, .gatePassed, .sealed, .switched])
  func eventsThatAreWrittenMeanwhileAreThere(step: ShrinkStep) async throws {
    let app = try await openWithFreeSpace()
    let writing = Mutex<Task<PromiseID, any Error>?>(nil)
    var configuration = LedgerConfiguration()
    configuration.files.hooks.shrinkStep = { [app] reached in
      guard reached == step else { return }
      let isDone = WakeSemaphore()
      let task = Task {
        defer { isDone.signal() }
        let promise = try await app.createPromise(of: [UInt8].self)
        try await promise.fulfill([UInt8](repeating: 9, count: 10_000))
        return promise.id
      }
      writing.withLock { $0 = task }
      if [.copied, .named].contains(step) { _ = isDone.wait(timeout: .seconds(60)) }
    }
    let other = try await temporary.open(as: .operator, configuration: configuration)
    try await other.shrink()
    let task = try #require(writing.withLock { $0 })
    let id = try await task.value
    #expect(try await other.record(of: id)?.status == .resolved)
    for session in [app, other] { await session.close() }
    try expectWhole()
  }

  /// Sessions and inspections refuse the ledger, and name the second generation.
  private func expectTheNewerFilesAreRefused() async {
    let error = await #expect(throws: LedgerError.self) { try await temporary.open() }
    #expect(error?.code == .corrupt && error?.message.contains("generation-000002") == true)
    for locking in [true, false] {
      let error = #expect(throws: LedgerError.self) {
        try BlockingInspector(at: temporary.path, locking: locking)
      }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func aLostSwitchIsRefused() async throws {
    let head = try await loseSwitch()
    await expectTheNewerFilesAreRefused()
    let saved = temporary.path + ".saved"
    try salvage(to: saved)
    #expect(try BlockingInspector(at: saved).head == head.advanced(by: 1))
    #expect(try generations() == ["generation-000001", "generation-000002"])
  }

  /// Something in the place of a data file whose seal cannot be read.
  enum Unreadable: CaseIterable, Sendable {
    case linkToItself, directory, noDatabase

    func make(in generation: String) throws {
      try FileSystem.createDirectory(generation)
      let path = generation + "/data.mdb"
      switch self {
      case .linkToItself:
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
      case .directory: try FileSystem.createDirectory(path)
      case .noDatabase: try FileSystem.writeAtomically([1], to: path)
      }
    }
  }

  /// It may be the one that was in use.
  @Test(arguments: Unreadable.allCases)
  func aNewerGenerationWhoseSealCannotBeReadIsRefused(unreadable: Unreadable) async throws {
    let ledger = try await openWithFreeSpace()
    await ledger.close()
    try unreadable.make(in: directory.generation("generation-000002"))
    await expectTheNewerFilesAreRefused()
    let saved = temporary.path + ".saved"
    try salvage(to: saved)
    #expect(try generations() == ["generation-000001", "generation-000002"])
  }

  /// The system does not tell whether it has a data file.
  @Test func anOlderGenerationThatCannotBeExaminedStays() async throws {
    let ledger = try await openWithFreeSpace()
    try await ledger.shrink()
    await ledger.close()
    try Unreadable.linkToItself.make(in: directory.generation(LedgerDirectory.firstGeneration))
    await (try temporary.open()).close()
    #expect(try generations() == ["generation-000001", "generation-000002"])
  }

  @Test func aNewerGenerationWithoutADataFileIsRemoved() async throws {
    let ledger = try await openWithFreeSpace()
    await ledger.close()
    try FileSystem.createDirectory(directory.generation("generation-000002"))
    await (try temporary.open()).close()
    try expectUntouched()
  }

  @Test func aSalvageFindsTheNewestFilesAlsoIfTheyAreDamaged() async throws {
    let head = try await loseSwitch()
    try damageFirstMetaPage(of: "generation-000002")
    let error = await #expect(throws: LedgerError.self) { try await temporary.open() }
    #expect(error?.code == .corrupt)
    let saved = temporary.path + ".saved"
    try salvage(to: saved)
    #expect(try BlockingInspector(at: saved).head >= head)
  }

  @Test func aSalvageWithoutCURRENTTakesTheGenerationThatWasInUse() async throws {
    let ledger = try await openWithFreeSpace()
    try await ledger.shrink()
    let head = try await ledger.catchUp()
    await ledger.close()
    for name in ["generation-000001.old", "generation-000009x"] {
      try FileSystem.createDirectory(directory.generation(name))
      try FileSystem.writeAtomically([1], to: directory.generation(name) + "/data.mdb")
    }
    try FileSystem.writeAtomically([1], to: directory.current)
    let saved = temporary.path + ".saved"
    try salvage(to: saved)
    #expect(try BlockingInspector(at: saved).head == head.advanced(by: 1))
  }

  // MARK: Refusals

  @Test func aDamagedLedgerStaysWhereItIs() async throws {
    let ledger = try await openWithFreeSpace()
    let promise = try await ledger.createPromise(of: [UInt8].self)
    try await promise.fulfill([UInt8](repeating: 7, count: 20_000))
    try damageLastValue(of: ledger)
    let error = await #expect(throws: LedgerError.self) { try await ledger.shrink() }
    #expect(error?.code == .corrupt && error?.message.contains("salvage") == true)
    try expectUntouched()
    _ = try await ledger.createPromise(of: Int.self)
    await ledger.close()
  }

  @Test func aGenerationThatNoneCanFollowIsRefused() async throws {
    let ledger = try await openWithFreeSpace()
    await ledger.close()
    let last = LedgerDirectory.generationName(.max)
    try FileManager.default.moveItem(
      atPath: directory.generation(LedgerDirectory.firstGeneration),
      toPath: directory.generation(last))
    try FileSystem.writeAtomically(LedgerDirectory.currentContent(last), to: directory.current)
    let moved = try await temporary.open()
    let error = await #expect(throws: LedgerError.self) { try await moved.shrink() }
    #expect(error?.code == .corrupt)
    #expect(try generations() == [last])
    await moved.close()
  }

  @Test func onlyOneShrinksOrCompacts() async throws {
    let ledger = try await openWithFreeSpace()
    let other = try await temporary.open(as: .operator)
    let hold = try #require(try other.engine.currentStore.lockForCompaction())
    await expectBusy { try await ledger.shrink() }
    hold.release()
    let wasBusy = Flag()
    var configuration = LedgerConfiguration()
    configuration.files.hooks.shrinkStep = { step in
      guard step == .copied else { return }
      let isDone = WakeSemaphore()
      Task {
        defer { isDone.signal() }
        await expectBusy { try await ledger.shrink() }
        await expectBusy { try await ledger.compact() }
        wasBusy.set()
      }
      _ = isDone.wait(timeout: .seconds(60))
    }
    let third = try await temporary.open(as: .operator, configuration: configuration)
    try await third.shrink()
    #expect(wasBusy.isSet)
    for session in [ledger, other, third] { await session.close() }
  }

  @Test func aCancelledShrinkLeavesNothing() async throws {
    let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    let ledger = try await openWithFreeSpace { step in
      if step == .copied { cancel.withLock { $0?() } }
    }
    let begins = Flag()
    let task = Task {
      while !begins.isSet { await Task.yield() }
      return try await ledger.shrink()
    }
    cancel.withLock { $0 = { task.cancel() } }
    begins.set()
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectUntouched()
    await ledger.close()
  }

  /// Pages are checked for as long as their file is large, so a freeze must not wait for that.
  @Test func theCheckOfThePagesCanBeEnded() async throws {
    let ledger = try await openWithFreeSpace()
    let store = try #require(try ledger.engine.currentStore as? LMDBEventStore)
    var phases: [ShrinkProgress.Phase] = []
    var count = 0
    let ticker = ShrinkTicker(
      check: {
        count += 1
        if count > 1 { throw LedgerError.storeClosed }
      }, report: { phases.append($0.phase) })
    let error = #expect(throws: LedgerError.self) {
      try ShrinkRun(store, patience: .seconds(1), ticker).run()
    }
    #expect(error?.code == .closed && phases == [.checking] && count == 2)
    try expectUntouched()
    await ledger.close()
  }

  /// A commit that needs a larger map waits for the end of the check, which then starts over.
  @Test func theCheckOfThePagesMakesWayForALargerMap() async throws {
    let ledger = try await openWithFreeSpace()
    let store = try #require(try ledger.engine.currentStore as? LMDBEventStore)
    let environment = try store.environment
    // The thread sanitizer leaves a process little address space: another test could take that of a large map.
    try environment.grow(to: 64 << 20)
    let size = try environment.info().mapSize
    let growth = Mutex<Task<Void, any Error>?>(nil)
    let report = try await ledger.shrink { progress in
      guard progress.phase == .checking, growth.withLock({ $0 == nil }) else { return }
      growth.withLock { $0 = Task.detached { try environment.grow(to: size + (1 << 20)) } }
      let pause = WakeSemaphore()
      while !environment.isAwaited { _ = pause.wait(timeout: .milliseconds(1)) }
    }
    try await #require(growth.withLock { $0 }).value
    #expect(report.sizeInBytes < report.sizeInBytesBefore)
    #expect(try generations() == ["generation-000002"])
    await ledger.close()
  }

  /// A freeze ends the shrink and waits for that; the shrink starts over afterwards.
  @Test func aFreezeComesFirst() async throws {
    let session = Mutex<Ledger?>(nil)
    let isFrozen = Flag()
    let ledger = try await openWithFreeSpace { step in
      guard step == .copied, let ledger = session.withLock({ $0.take() }) else { return }
      Task {
        try await ledger.freeze()
        isFrozen.set()
      }
      let pause = WakeSemaphore()
      while ledger.engine.phase.store != nil { _ = pause.wait(timeout: .milliseconds(1)) }
    }
    session.withLock { $0 = ledger }
    let shrinking = Task { try await ledger.shrink() }
    while !isFrozen.isSet { await Task.yield() }
    try expectUntouched()
    #if os(Linux)
      #expect(openFiles().filter { $0.hasPrefix(temporary.path) } == [])
    #endif
    try await ledger.unfreeze()
    let report = try await shrinking.value
    #expect(report.sizeInBytes < report.sizeInBytesBefore)
    #expect(try generations() == ["generation-000002"])
    await ledger.close()
  }

  // MARK: Support

  /// A ledger whose file is mostly free space.
  private func openWithFreeSpace(
    _ step: (@Sendable (ShrinkStep) -> Void)? = nil
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.files.hooks.shrinkStep = step
    let ledger = try await temporary.open(configuration: configuration)
    for _ in 0..<30 {
      let promise = try await ledger.createPromise(of: [UInt8].self)
      try await promise.fulfill([UInt8](repeating: 7, count: 50_000))
      _ = try await promise.consume()
    }
    try await ledger.compact(.everything())
    return ledger
  }

  /// Shrinks a ledger, uses it, and puts the files of before the shrink in their place again, with their CURRENT.
  ///
  /// - Returns: The end of the log in the newer files, but for the end of the session.
  private func loseSwitch() async throws -> Position {
    let ledger = try await openWithFreeSpace()
    let aside = temporary.path + ".aside"
    await ledger.close()
    let old = directory.generation(LedgerDirectory.firstGeneration)
    try FileSystem.createDirectory(aside)
    try copy("data.mdb", from: old, to: aside)
    let second = try await temporary.open()
    try await second.shrink()
    _ = try await second.createPromise(of: Int.self)
    let head = try await second.catchUp()
    await second.close()

    try FileSystem.createDirectory(old)
    try copy("data.mdb", from: aside, to: old)
    try FileSystem.writeAtomically(
      LedgerDirectory.currentContent(LedgerDirectory.firstGeneration), to: directory.current)
    return head
  }

  /// Changes the magic number, so that LMDB refuses the file.
  private func damageFirstMetaPage(of generation: String) throws {
    let path = directory.generation(generation) + "/data.mdb"
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: 16)
    try file.write(contentsOf: [0] as [UInt8])
    try file.close()
  }

  private func damageLastValue(of ledger: Ledger) throws {
    let store = try #require(try ledger.engine.currentStore as? LMDBEventStore)
    let environment = try store.environment
    let blob = try environment.table(named: "blob")
    try environment.write { transaction in
      var last: ([UInt8], [UInt8])?
      try transaction.scan(blob, fromKey: [0].span) { key, value in
        last = (Array(copying: key), Array(copying: value))
        return true
      }
      guard let (key, old) = last else { throw LedgerError.storeClosed }
      var value = old
      value[100] ^= 1
      try transaction.put(value.span, forKey: key.span, in: blob)
    }
  }

  private func salvage(to path: String) throws {
    try LedgerSalvage().makeLedger(at: path, from: temporary.path)
  }

  private func contents() throws -> [UInt8] {
    let inspector = try BlockingInspector(at: temporary.path)
    defer { inspector.close() }
    return try inspector.archive()
  }

  private func generations() throws -> [String] {
    try FileSystem.list(temporary.path).filter { $0.contains("generation-") }
  }

  private func expectUntouched() throws {
    #expect(try generations() == [LedgerDirectory.firstGeneration])
    #expect(try !FileSystem.list(temporary.path).contains { $0.contains(".new-") })
    #expect(try directory.readCurrentGeneration() == LedgerDirectory.firstGeneration)
  }

  private func expectWhole() throws {
    let inspector = try BlockingInspector(at: temporary.path)
    defer { inspector.close() }
    _ = try inspector.verify { Issue.record("\($0)") }
  }

  private func copy(_ name: String, from: String, to: String) throws {
    let source = "\(from)/\(name)"
    let size = try FileSystem.fileSize(source)
    try FileSystem.writeAtomically(
      FileSystem.readPrefix(source, maximumBytes: size), to: "\(to)/\(name)")
  }
}

#if os(Linux)
  /// The paths of the files that this process has open.
  private func openFiles() -> [String] {
    let files = FileManager.default
    let links = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return links.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
  }
#endif

private func expectBusy(_ body: @Sendable () async throws -> some Any) async {
  let error = await #expect(throws: LedgerError.self) { _ = try await body() }
  #expect(error?.code == .compactionBusy)
}
