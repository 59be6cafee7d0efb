import Foundation
import LedgerHistories
import LedgerSystem
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// A disk without room, for real.
  @Suite(.timeLimit(.minutes(2))) struct FullDiskTests {
    private let temporary: TemporaryLedger

    init() throws { temporary = try TemporaryLedger() }

    @Test(arguments: [10_000, 65_536, 300_001])
    func aLimitOnTheSizeOfFilesIsADiskThatIsFull(room: Int) async throws {
      let worker = try WorkerProcess(["fill", temporary.path, "limit", "\(room)"])
      let lines = await worker.rest()
      #expect(await worker.end() == .exited(0))
      #expect(lines.first == "creation diskFull")
      expectNothingLost(Array(lines.dropFirst()))
      let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
      #expect(audit.findings(acknowledged: lines).isEmpty)
      // The failed creation left nothing beside the ledger.
      let parent = URL(fileURLWithPath: temporary.path).deletingLastPathComponent().path
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["ledger"])
      try await expectWorks(temporary)
    }

    @Test(
      .enabled(if: SmallDisk.isUsable, "needs the right to mount a file system of its own"),
      arguments: [1, 2])
    func aSmallDiskThatIsFull(mebibytes: Int) async throws {
      let parent = URL(fileURLWithPath: temporary.path).deletingLastPathComponent().path
      let worker = try WorkerProcess(
        ["fill", temporary.path, "ballast", "400000"],
        wrapper: try #require(SmallDisk.wrapper(mountedAt: parent, mebibytes: mebibytes)))
      let lines = await worker.rest()
      #expect(await worker.end() == .exited(0))
      expectNothingLost(lines)
      #expect(!FileManager.default.fileExists(atPath: temporary.path), "it was on another disk")
    }

    /// LMDB writes into pages that an earlier compaction freed.
    @Test func onAFullDiskALedgerWithFreePagesIsOpenedAndCompacted() async throws {
      try await expectCompacts(WorkerProcess(["compact-full", temporary.path, "limit"]))
      try await expectWorks(temporary)
    }

    @Test(
      .enabled(if: SmallDisk.isUsable, "needs the right to mount a file system of its own"))
    func onASmallDiskThatIsFullALedgerWithFreePagesIsOpenedAndCompacted() async throws {
      let parent = URL(fileURLWithPath: temporary.path).deletingLastPathComponent().path
      try await expectCompacts(
        WorkerProcess(
          ["compact-full", temporary.path],
          wrapper: try #require(SmallDisk.wrapper(mountedAt: parent, mebibytes: 4))))
    }

    private func expectCompacts(
      _ worker: WorkerProcess, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
      let lines = await worker.rest()
      #expect(lines == ["read", "opened", "compacted", "used"], sourceLocation: sourceLocation)
      #expect(await worker.end() == .exited(0), sourceLocation: sourceLocation)
    }

    /// All acknowledged events are there, the refusals were clear, and work continued afterwards.
    private func expectNothingLost(
      _ lines: [String], sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
      #expect(lines.first?.hasPrefix("opened ") == true, sourceLocation: sourceLocation)
      #expect(
        lines.filter { $0.hasPrefix("full") } == ["full diskFull", "full diskFull"],
        "\(lines)", sourceLocation: sourceLocation)
      #expect(lines.contains("value 20000"), "\(lines)", sourceLocation: sourceLocation)
      #expect(lines.last == "done", sourceLocation: sourceLocation)
      let afterwards = lines.drop { $0 != "room" }.compactMap(LedgerAudit.Acknowledgement.init)
      #expect(
        afterwards.map(\.kind) == [.promiseCreated, .promiseResolved, .promiseConsumed],
        sourceLocation: sourceLocation)
      let stored = lines.compactMap(LedgerAudit.Sighting.init)
      let positions = stored.indices.map { UInt64($0 + 1) }
      #expect(stored.map(\.position) == positions, sourceLocation: sourceLocation)
      for acknowledged in lines.compactMap(LedgerAudit.Acknowledgement.init) {
        let count = stored.count {
          $0.kind == acknowledged.kind.rawValue && $0.subject == acknowledged.subject
        }
        #expect(count == 1, "\(acknowledged)", sourceLocation: sourceLocation)
      }
    }
  }
}

/// A file system of some mebibytes that only one process and its children see.
enum SmallDisk {
  /// Ways to be allowed to mount: as root, or as root of a user namespace of one's own.
  private static let ways = [["-m"], ["-r", "-m"]]
  private static let program = "/usr/bin/unshare"

  private static let way: [String]? = ways.first { way in
    guard FileManager.default.isExecutableFile(atPath: program) else { return false }
    let words = wrapper(way, mountedAt: "/tmp", mebibytes: 1) + ["/bin/true"]
    guard let child = try? ChildProcess(words, environment: []) else { return false }
    return end(of: child) == .exited(0)
  }

  static var isUsable: Bool { way != nil }

  /// Words that run the following command with the directory on such a file system.
  static func wrapper(mountedAt directory: String, mebibytes: Int) -> [String]? {
    way.map { wrapper($0, mountedAt: directory, mebibytes: mebibytes) }
  }

  private static func wrapper(
    _ way: [String], mountedAt directory: String, mebibytes: Int
  ) -> [String] {
    let script = #"mount -t tmpfs -o size=\#(mebibytes)m none "$0" 2>/dev/null && exec "$@""#
    return [program] + way + ["/bin/sh", "-c", script, directory]
  }

  private static func end(of child: ChildProcess) -> ChildProcess.Ending { child.wait() }
}
