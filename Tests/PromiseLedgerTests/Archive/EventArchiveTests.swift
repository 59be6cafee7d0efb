import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The archives that compaction writes before it deletes events.
@Suite(.timeLimit(.minutes(10)))
struct EventArchiveTests {
  private static func policy(_ directory: String) -> CompactionPolicy {
    var policy = CompactionSample.everything
    policy.archiveDirectory = directory
    return policy
  }

  @Test func everyEventIsBackFromArchivesAndAnExport() async throws {
    let reference = try TemporaryLedger()
    let directory = FileSystem.parent(of: reference.path) + "/archives"
    try FileSystem.createDirectory(directory)
    let ledger = try await reference.open(configuration: CompactionSample.configuration())
    var archives: [String] = []
    for _ in 0..<3 {
      for number in 0..<24 { try await CompactedLedger.add(number, to: ledger) }
      let plan = try await ledger.plan(Self.policy(directory))
      let report = try await ledger.compact(plan)
      let path = try #require(report.archivePath)
      #expect(path.hasPrefix(directory + "/\(ledger.id)-00000000000000000"))
      archives.append(path)
    }
    #expect(archives == archives.sorted())
    let names = try FileSystem.list(directory).sorted()
    #expect(names.map { directory + "/" + $0 } == archives)
    let digest = try await ledger.logDigest()
    await ledger.close()
    try Self.expectWhole(archives, reference.path, through: digest)
  }

  /// As one does behind a session that was frozen in the middle of its archive.
  @Test func anArchiveBesideAnotherCompactionBeginsAnew() async throws {
    let reference = try TemporaryLedger()
    let directory = FileSystem.parent(of: reference.path) + "/archives"
    try FileSystem.createDirectory(directory)
    let ledger = try await reference.open(configuration: CompactionSample.configuration())
    // Several pieces of an archive.
    for _ in 0..<700 { _ = try await ledger.createPromise(of: Void.self) }
    try await ledger.compact(.foldOnly)
    let store = try await ledger.engine.openStore()
    let deleted = Position(rawValue: 600)
    let report = try await ledger.compact(Self.policy(directory)) { progress in
      if progress.phase == .archiving, progress.done > 0 {
        _ = try? EventDeletion(store).step(through: deleted)
      }
    }
    let names = try FileSystem.list(directory)
    #expect(names.map { directory + "/" + $0 } == [report.archivePath])
    #expect(names.first?.contains("-00000000000000000601-") == true)
    #expect(report.deletedThrough > deleted)
    await ledger.close()
  }

  /// Another process may do so between the steps of a compaction whose session freezes and comes back.
  @Test func eventsThatAreFoldedAfterTheArchiveAreNotDeleted() async throws {
    let reference = try TemporaryLedger()
    let directory = FileSystem.parent(of: reference.path) + "/archives"
    try FileSystem.createDirectory(directory)
    let ledger = try await reference.open(configuration: CompactionSample.configuration())
    for _ in 0..<24 { _ = try await ledger.createPromise(of: Void.self) }
    let store = try await ledger.engine.openStore()
    let hasWritten = Mutex(false)
    var policy = CompactionSample.events
    policy.archiveDirectory = directory
    let report = try await ledger.compact(policy) { progress in
      let isFirst = hasWritten.withLock { hasWritten in
        defer { hasWritten = true }
        return !hasWritten
      }
      if isFirst {
        // These follow the end up to which this compaction folds.
        let other = try? WatchedSession(store, 7, clock: ManualLedgerClock(), role: .appExtension)
        for number in 1...24 { try? other?.commit([CreatePromise(.numbered(number))]) }
      }
      if progress.phase == .archiving, progress.done > 0 {
        var folder = Folder()
        guard let head = try? store.head() else { return }
        while (try? folder.step(of: store, through: head, limit: 1_000)) != nil {}
        try? folder.markReadBack(of: store)
      }
    }
    let path = try #require(report.archivePath)
    #expect(try store.snapshotSummary().readBackThrough > report.deletedThrough)
    let last = path.dropLast(".jsonl".count).split(separator: "-").last.flatMap { UInt64($0) }
    #expect(last == report.deletedThrough.rawValue)
    await ledger.close()
  }

  private static func expectWhole(
    _ archives: [String], _ path: String, through digest: LogDigest
  ) throws {
    let original = try BlockingInspector(at: path)
    let last = try ArchiveFile(try original.archive())
    let whole = try LedgerImport().makeLedger(at: last.target, from: archives + [last.path])
    let copy = try BlockingInspector(at: last.target)
    #expect(whole.eventCount == Int(try original.head.rawValue))
    #expect(try copy.logDigest(through: digest.position) == digest)
    #expect(try copy.logDigest() == original.logDigest())
    #expect(try copy.replay().digest() == original.replay().digest())
    _ = try copy.verify { Issue.record("\($0)") }

    for incomplete in [archives.dropFirst() + [last.path], [archives[0], archives[2]]] {
      let error = #expect(throws: LedgerError.self, "\(incomplete)") {
        try LedgerImport().makeLedger(at: path + "-copy", from: Array(incomplete))
      }
      #expect(error?.code == .invalidArgument, "\(incomplete)")
    }
    for disordered in [[last.path] + archives, [last.path, archives[2]]] {
      let error = #expect(throws: LedgerError.self, "\(disordered)") {
        try LedgerImport().makeLedger(at: path + "-copy", from: disordered)
      }
      #expect(error?.code == .invalidArgument, "\(disordered)")
      #expect(error?.message.contains("\(disordered[1]) before \(last.path)") == true)
    }
    #expect(whole.unusedArchives == [])
    let some = try LedgerImport().makeLedger(at: path + "-copy", from: Array(archives[..<2]))
    #expect(some.eventCount < whole.eventCount && some.recordCount == 0)
  }

  @Test func overlappingArchivesMustAgree() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    try Self.expectAgreement(ledger)
  }

  private static func expectAgreement(_ ledger: CompactedLedger) throws {
    let inspector = try BlockingInspector(at: ledger.path)
    let head = try inspector.head
    func archive(_ first: UInt64, _ last: UInt64) throws -> ArchiveFile {
      let base = first == 1 ? .start : try inspector.logDigest(through: .init(rawValue: first - 1))
      var writer = ArchiveWriter(
        of: inspector.id, createdAt: inspector.createdAt, after: base,
        through: Position(rawValue: last), known: .start)
      var bytes: [UInt8] = []
      while let piece = try writer.next(from: inspector.store) { bytes += piece }
      return try ArchiveFile(bytes)
    }
    let files = [try archive(1, 30), try archive(10, 20), try archive(21, head.rawValue)]
    let summary = try LedgerImport().makeLedger(at: files[0].target, from: files.map(\.path))
    #expect(summary.logDigest == (try inspector.logDigest()))
    #expect(summary.unusedArchives == [files[1].path])
    let twice = files + [try archive(5, 12), try archive(31, 32)]
    let same = try LedgerImport().makeLedger(at: files[1].target, from: twice.map(\.path))
    #expect(same.logDigest == summary.logDigest && same.eventCount == summary.eventCount)
    #expect(same.unusedArchives == [1, 3, 4].map { twice[$0].path })

    let other = try CraftedLedger.sample()
    let foreign = try ArchiveFile(try BlockingInspector(at: other.path).archive())
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: files[2].target, from: [files[0].path, foreign.path])
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func archivesOfALedgerThatWasMadeAnewDoNotJoinThoseOfTheOldOne() throws {
    let ledger = try CraftedLedger.sample()
    let inspector = try BlockingInspector(at: ledger.path)
    let middle = try inspector.logDigest(through: Position(rawValue: 6))
    let files = try [0, 1].map { (number: Int64) in
      var writer = ArchiveWriter(
        of: inspector.id, createdAt: inspector.createdAt + .seconds(number),
        after: number == 0 ? .start : middle,
        through: number == 0 ? middle.position : try inspector.head, known: .start)
      var bytes: [UInt8] = []
      while let piece = try writer.next(from: inspector.store) { bytes += piece }
      return try ArchiveFile(bytes)
    }
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: files[0].target, from: files.map(\.path))
    }
    #expect(error?.message.contains("belong to two ledgers") == true)
  }

  /// Two ledgers that claim to be one, as after a copy was restored.
  @Test func otherEventsInAnOverlapAreFound() throws {
    let files = try [1, 2].map { number in
      var ledger = try CraftedLedger()
      try ledger.commit([
        .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
        .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
      ])
      for count in 1...(3 * number) {
        let id = PromiseID.numbered(10 * number + count).entityID
        try ledger.commit([.of(PromiseCreated(typeTag: "text"), on: id)])
      }
      return try ArchiveFile(try BlockingInspector(at: ledger.path).archive())
    }
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: files[0].target, from: files.map(\.path))
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("have other events up to there") == true)
    let shorter = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: files[0].target, from: [files[1].path, files[0].path])
    }
    #expect(shorter?.code == .corrupt)
    #expect(
      shorter?.message.contains("\(files[0].path) has other events up to position 5") == true)
    #expect(try files[0].neighbours() == [])
    try LedgerImport().makeLedger(at: files[0].target, from: [files[1].path, files[1].path])
  }

  /// Two ledgers that claim to be one, as after a copy was restored, archive the same positions.
  @Test func theArchiveOfOtherEventsIsNeverReplaced() async throws {
    let temporary = try TemporaryLedger()
    let directory = FileSystem.parent(of: temporary.path)
    for number in 1...2 {
      var crafted = try CraftedLedger()
      try crafted.commit([.of(LedgerCreated(formatVersion: 0), on: .numbered(77))])
      for count in 1...3 {
        let id = PromiseID.numbered(10 * number + count).entityID
        try crafted.commit([.of(PromiseCreated(typeTag: "text"), on: id)])
      }
      let ledger = try await crafted.temporary.open(
        configuration: CompactionSample.configuration())
      if number == 1 {
        let report = try await ledger.compact(Self.policy(directory))
        #expect(report.archivePath != nil, "\(number)")
      } else {
        let before = try Self.contents(of: directory)
        let error = await #expect(throws: LedgerError.self, "\(number)") {
          try await ledger.compact(Self.policy(directory))
        }
        #expect(error?.code == .alreadyExists, "\(number)")
        #expect(try Self.contents(of: directory) == before, "\(number)")
        let store = try await ledger.engine.openStore()
        #expect(try store.snapshotSummary().deletedThrough == .start, "\(number)")
      }
      await ledger.close()
    }
  }

  private static func contents(of directory: String) throws -> [String: [UInt8]] {
    let names = try FileSystem.list(directory)
    #expect(names.count == 1)
    return Dictionary(
      uniqueKeysWithValues: try names.map {
        ($0, try FileSystem.readPrefix("\(directory)/\($0)", maximumBytes: 1 << 20))
      })
  }

  @Test func anArchiveThatAKillLeftUnfinishedIsRemoved() async throws {
    let temporary = try TemporaryLedger()
    let directory = FileSystem.parent(of: temporary.path) + "/archives"
    try FileSystem.createDirectory(directory)
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 8)
    let zeros = String(repeating: "0", count: 19)
    let range = "\(zeros)1-\(zeros)2.jsonl.new-0123456789ab"
    let foreign = [
      ".\(LedgerID(entityID: .numbered(9)))-\(range)", ".\(ledger.id)-1-2.jsonl.new-0123456789ab",
      ".\(ledger.id)-notes.new-0123456789ab",
    ]
    for name in foreign + [".\(ledger.id)-\(range)"] {
      try FileSystem.writeAtomically([1], to: "\(directory)/\(name)")
    }
    let report = try await ledger.compact(Self.policy(directory))
    let path = try #require(report.archivePath)
    let names = try FileSystem.list(directory)
    #expect(
      names.map { "\(directory)/\($0)" }.sorted()
        == (foreign.map { "\(directory)/\($0)" } + [path]).sorted())
    await ledger.close()
  }

  @Test func nothingIsDeletedWithoutItsArchive() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 24)
    let missing = FileSystem.parent(of: temporary.path) + "/nowhere"
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.compact(Self.policy(missing))
    }
    #expect(error?.message.contains("No event was deleted") == true)
    let store = try await ledger.engine.openStore()
    #expect(try store.snapshotSummary().deletedThrough == .start)
    try FileSystem.createDirectory(missing)
    let report = try await ledger.compact(Self.policy(missing))
    #expect(report.archivePath != nil && report.deletedThrough > .start)
    await ledger.close()
  }
}
