import Foundation
import LedgerSystem
import LedgerWorkerSupport
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
  /// Directories and files that the user may not read or write.
  ///
  /// The ledger belongs to the user who tries, without the permission bits. Root passes all
  /// permission checks, so root gives the ledger away and makes the worker become its owner.
  @Suite(.timeLimit(.minutes(1))) struct RightsTests {
    /// `nobody`, for tests that run as root.
    private static let user = geteuid() == 0 ? 65_534 : Int(geteuid())

    /// Deletes all events.
    private static let policy: CompactionPolicy = {
      var policy = CompactionPolicy()
      policy.eventRetention = .zero
      policy.minimumEventCount = 0
      return policy
    }()

    private let temporary: TemporaryLedger
    private var parent: String {
      URL(fileURLWithPath: temporary.path).deletingLastPathComponent().path
    }

    init() throws { temporary = try TemporaryLedger() }

    @Test func aDirectoryThatMayNotBeReadIsRefused() async throws {
      try await create()
      try set(0o000, temporary.path)
      let lines = try await attempt("open", "inspect", "look")
      try set(0o700, temporary.path)
      for line in lines { expectDenied(line) }
    }

    @Test(arguments: ["data.mdb", "lock.mdb"])
    func aFileThatMayNotBeReadIsRefused(name: String) async throws {
      try await create()
      try set(0o000, temporary.path + "/generation-000001/" + name)
      for line in try await attempt("open", "inspect") { expectDenied(line) }
    }

    @Test func aDirectoryThatMayNotBeWrittenCanBeReadWithoutItsLockFile() async throws {
      let head = try await create()
      try setAll(directories: 0o555, files: 0o444)
      let lines = try await attempt("open", "inspect", "look")
      try setAll(directories: 0o755, files: 0o644)
      #expect(lines.count == 3)
      expectDenied(lines[0])
      expectDenied(lines[1], advice: "without its lock file")
      #expect(lines[2] == "look head \(head)")
      // Nothing was written, and the ledger opens once it is writable.
      #expect(try await attempt("inspect", "open") == ["inspect head \(head)", "open opened"])
    }

    @Test func aDirectoryWhereNoSessionCanBeNotedIsRefused() async throws {
      let head = try await create()
      try set(0o555, temporary.path + "/sessions")
      let lines = try await attempt("open", "look")
      try set(0o755, temporary.path + "/sessions")
      expectDenied(lines[0])
      #expect(lines[1] == "look head \(head)")
    }

    @Test func noLedgerIsCreatedInADirectoryThatMayNotBeWritten() async throws {
      try set(0o555, parent)
      try give(parent)
      let lines = try await attempt("open", "inspect")
      try set(0o755, parent)
      expectDenied(lines[0])
      #expect(lines[1].hasPrefix("inspect error notALedger:"), "\(lines[1])")
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
      #expect(try await attempt("open") == ["open opened"])
    }

    /// Root works for the owner: the files that root creates do not lock the owner out afterwards.
    @Test(
      .enabled(if: geteuid() == 0, "only root works for others"),
      arguments: [[], ["compaction", "gate", "wake", "generation-000001/lock.mdb", "sessions"]])
    func filesThatRootMakesInALedgerBelongToItsOwner(missing: [String]) async throws {
      try await create()
      // As in a copy of the ledger by a tool that leaves such files out.
      for name in missing {
        try FileManager.default.removeItem(atPath: "\(temporary.path)/\(name)")
      }
      let ledger = try await temporary.open(as: .operator)
      _ = try await ledger.compact(Self.policy)
      for path in try paths() { #expect(try owner(path) == Self.user, "\(path)") }
      await ledger.close()
      for path in try paths() { #expect(try owner(path) == Self.user, "\(path)") }
      let lines = try await attempt("open", "compact")
      #expect(lines.first == "open opened")
      #expect(lines.last?.hasPrefix("compact deleted through ") == true, "\(lines)")
    }

    // MARK: Support

    private func owner(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? Int
    }

    /// Makes a ledger of the user that will try.
    @discardableResult private func create() async throws -> Position {
      await (try temporary.open()).close()
      let inspector = try BlockingInspector(at: temporary.path)
      let head = try inspector.head
      inspector.close()
      try set(0o755, parent)
      for path in try paths() + [parent] { try give(path) }
      return head
    }

    private func attempt(_ attempts: String...) async throws -> [String] {
      let worker = try WorkerProcess(["rights", temporary.path, "\(Self.user)"] + attempts)
      let lines = await worker.rest()
      #expect(await worker.end() == .exited(0))
      return lines
    }

    /// The line reports the denial, its place, and a remedy.
    private func expectDenied(
      _ line: String, advice: String = "right to read and write",
      sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
      #expect(line.contains(" error permissionDenied: "), "\(line)", sourceLocation: sourceLocation)
      #expect(line.contains(temporary.path), "\(line)", sourceLocation: sourceLocation)
      #expect(
        line.contains(advice) || line.contains("without its lock file"), "\(line)",
        sourceLocation: sourceLocation)
    }

    private func set(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func give(_ path: String) throws {
      guard Self.user != Int(geteuid()) else { return }
      try FileManager.default.setAttributes(
        [.ownerAccountID: Self.user, .groupOwnerAccountID: Self.user], ofItemAtPath: path)
    }

    private func setAll(directories: Int, files: Int) throws {
      for path in try paths() {
        try set(FileSystem.kind(path) == .directory ? directories : files, path)
      }
    }

    /// The ledger and everything in it.
    private func paths() throws -> [String] {
      [temporary.path]
        + (try FileManager.default.subpathsOfDirectory(atPath: temporary.path)).map {
          temporary.path + "/" + $0
        }
    }
  }
}
