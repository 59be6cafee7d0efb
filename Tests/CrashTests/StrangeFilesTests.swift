import Foundation
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CrashTests {
  /// Files of a ledger that are missing, or whose names something else has.
  @Suite(.timeLimit(.minutes(2))) struct StrangeFilesTests {
    /// Things that may stand in the place of a regular file.
    enum Strange: String, CaseIterable, Sendable {
      case pipe, directory, linkToItself, linkToAFile, device

      func make(at path: String) throws {
        switch self {
        case .pipe: try #require(unsafe mkfifo(path, 0o600) == 0)
        case .directory: try FileSystem.createDirectory(path)
        case .linkToItself: try #require(unsafe symlink(path, path) == 0)
        case .linkToAFile:
          try FileManager.default.moveItem(atPath: path + ".away", toPath: path + ".real")
          try #require(unsafe symlink(path + ".real", path) == 0)
        // The numbers of /dev/zero.
        case .device:
          guard unsafe mknod(path, S_IFCHR | 0o600, 0x105) == 0 else { throw NoDevice() }
        }
      }

      struct NoDevice: Error {}

      static let usable = allCases.filter { $0 != .device || canUseDevices }

      /// Not even root makes devices in every container, and they cannot be opened on every file
      /// system.
      private static let canUseDevices: Bool = {
        guard let scratch = try? TemporaryLedger(),
          (try? FileSystem.createDirectory(scratch.path)) != nil
        else { return false }
        let path = scratch.path + "/device"
        guard (try? device.make(at: path)) != nil else { return false }
        let descriptor = unsafe open(path, O_RDONLY)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
      }()
    }

    private static let generation = "generation-000001"

    /// Deletes all events.
    private static let policy: CompactionPolicy = {
      var policy = CompactionPolicy()
      policy.eventRetention = .zero
      policy.minimumEventCount = 0
      return policy
    }()

    private let temporary: TemporaryLedger
    private func path(_ name: String) -> String { "\(temporary.path)/\(name)" }

    init() throws { temporary = try TemporaryLedger() }

    private func fill() async throws {
      let ledger = try await temporary.open()
      _ = try await ledger.createPromise(of: Int.self).fulfill(1)
      await ledger.close()
    }

    private func codeOfOpening() async -> LedgerError.Code? {
      var configuration = LedgerConfiguration()
      configuration.logger = .silent
      do {
        await (try temporary.open(configuration: configuration)).close()
        return nil
      } catch {
        #expect(error is LedgerError, "\(error)")
        return (error as? LedgerError)?.code
      }
    }

    private func codeOfInspecting() -> LedgerError.Code? {
      do throws(LedgerError) {
        try BlockingInspector(at: temporary.path).close()
        return nil
      } catch {
        return error.code
      }
    }

    private func names() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: temporary.path).sorted()
    }

    // MARK: Something else

    @Test(
      arguments: ["CURRENT", "gate", "wake", "\(generation)/data.mdb", "\(generation)/lock.mdb"],
      Strange.usable)
    func irregularFilesAreDamageAndHoldUpNothing(name: String, strange: Strange) async throws {
      try await fill()
      try FileManager.default.moveItem(atPath: path(name), toPath: path(name) + ".away")
      try strange.make(at: path(name))
      let before = try names()
      #expect(await codeOfOpening() == .corrupt)
      let isUnused = name == "gate" || name == "wake"
      #expect(codeOfInspecting() == (isUnused ? nil : .corrupt))
      #expect(try names() == before)
    }

    @Test(arguments: Strange.usable)
    func aLockOfCompactionThatIsNoRegularFileIsDamage(strange: Strange) async throws {
      try await fill()
      try FileManager.default.moveItem(atPath: path("compaction"), toPath: path("compaction.away"))
      try strange.make(at: path("compaction"))
      let ledger = try await temporary.open()
      let error = await #expect(throws: LedgerError.self) {
        _ = try await ledger.compact(Self.policy)
      }
      #expect(error?.code == .corrupt)
      await ledger.close()
    }

    @Test(arguments: [Strange.pipe, .directory, .linkToItself])
    func aGenerationThatIsNoDirectoryIsDamage(strange: Strange) async throws {
      try await fill()
      try FileManager.default.moveItem(atPath: path(Self.generation), toPath: path("away"))
      if strange == .directory {
        try FileSystem.writeAtomically([1], to: path(Self.generation))
      } else {
        try strange.make(at: path(Self.generation))
      }
      #expect(await codeOfOpening() == .corrupt)
      #expect(codeOfInspecting() == .corrupt)
    }

    // MARK: Missing

    /// An empty one would be taken for a ledger without events.
    @Test(arguments: ["\(generation)/data.mdb", generation])
    func missingDataIsDamageAndNothingIsMade(name: String) async throws {
      try await fill()
      try FileManager.default.moveItem(atPath: path(name), toPath: path(name) + ".away")
      let before = try names()
      #expect(await codeOfOpening() == .corrupt)
      #expect(codeOfInspecting() == .corrupt)
      #expect(try names() == before)
    }

    @Test func aFlippedMagicIsDamage() async throws {
      try await fill()
      let file = try FileHandle(
        forUpdating: URL(fileURLWithPath: path("\(Self.generation)/data.mdb")))
      for offset in [16, 4_096 + 16] as [UInt64] {
        try file.seek(toOffset: offset)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: offset)
        try file.write(contentsOf: [byte ^ 1])
        #expect(await codeOfOpening() == .corrupt, "offset \(offset)")
        #expect(codeOfInspecting() == .corrupt, "offset \(offset)")
        try file.seek(toOffset: offset)
        try file.write(contentsOf: [byte])
      }
      try file.close()
      #expect(await codeOfOpening() == nil)
    }

    @Test(arguments: [
      "", "generation-000001", "generation-\n", "generation-٣\n", "\u{7}eneration-000001\n",
      "generation-000009\n", String(repeating: "generation-000001\n", count: 4),
      String(repeating: "x", count: 10_000),
    ])
    func aDamagedCURRENTIsDamage(content: String) async throws {
      try await fill()
      try FileSystem.writeAtomically(Array(content.utf8), to: path("CURRENT"))
      let before = try names()
      #expect(await codeOfOpening() == .corrupt)
      #expect(codeOfInspecting() == .corrupt)
      #expect(try names() == before)
    }

    @Test func aMissingCURRENTIsDamageIfTheRestIsALedgers() async throws {
      try await fill()
      try FileSystem.removeTree(path("CURRENT"))
      #expect(await codeOfOpening() == .corrupt)
      try FileSystem.removeTree(path(Self.generation))
      #expect(await codeOfOpening() == .corrupt, "the other files show it")
    }

    /// LevelDB and its kin have a file of that name, too.
    @Test func aCURRENTOfAnotherDatabaseIsNoLedger() async throws {
      try FileSystem.createDirectory(temporary.path)
      try FileSystem.writeAtomically(Array("MANIFEST-000001\n".utf8), to: path("CURRENT"))
      #expect(await codeOfOpening() == .notALedger)
      #expect(codeOfInspecting() == .notALedger)
    }

    /// A session that cannot be looked at counts as alive.
    @Test(arguments: Strange.usable)
    func aSessionsLockThatIsNoRegularFileHoldsUpNothing(strange: Strange) async throws {
      try await fill()
      let lock = path("sessions/\(UUID().uuidString.lowercased()).lock")
      try FileSystem.writeAtomically([], to: lock + ".away")
      try strange.make(at: lock)
      #expect(await codeOfOpening() == nil)
    }
  }
}
