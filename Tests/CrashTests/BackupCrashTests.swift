import Foundation
import LedgerHistories
import LedgerSystem
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// Backups under load, killed backups, and backups onto disks that are full or fail.
  @Suite(.timeLimit(.minutes(10)))
  struct BackupCrashTests {
    private static let largestCallNumber = 100

    @Test(.timeLimit(.minutes(5)))
    func aBackupUnderLoadHoldsEverythingAcknowledgedBefore() async throws {
      let temporary = try TemporaryLedger()
      let parent = FileSystem.parent(of: temporary.path)
      try FileSystem.createDirectory(parent + "/archives")
      await (try temporary.open()).close()
      let writers = try (0..<3).map { number in
        try WorkerProcess(["live", temporary.path, "writer-\(number)", "\(number)"])
      }
      let compactor = try WorkerProcess(
        ["compact-again", temporary.path, parent + "/archives", "12"])
      var lines: [String] = []
      var acknowledged: [Int] = []
      for round in 0..<4 {
        for writer in writers {
          for _ in 0..<40 { lines.append(try #require(await writer.nextLine())) }
        }
        acknowledged.append(lines.count)
        let inspector = try await Ledger.inspect(at: temporary.path)
        try await inspector.backUp(to: "\(parent)/backup-\(round)")
        inspector.close()
      }
      let compactions = await compactor.rest()
      #expect(await compactor.end() == .exited(0), "\(compactions.suffix(3))")
      for writer in writers { writer.closeInput() }
      for writer in writers { lines += await writer.rest() }
      let final = Self.levels(lines)
      for (round, count) in acknowledged.enumerated() {
        let path = "\(parent)/backup-\(round)"
        _ = try BlockingInspector(at: path).verify { Issue.record("\(round): \($0)") }
        let replayed = try BlockingInspector(at: path).replay()
        for (id, level) in Self.levels(Array(lines[..<count])) {
          let status = try replayed.record(of: PromiseID(entityID: id))?.status
          let isThere = status.map { Self.level($0) >= level } ?? (final[id] == 2)
          #expect(isThere, "\(round): \(id) was acknowledged as \(level)")
        }
      }
      print("\(acknowledged) of \(lines.count) answers were acknowledged before the backups")
    }

    /// How far each promise came: created, resolved, consumed.
    private static func levels(_ lines: [String]) -> [EntityID: Int] {
      var levels: [EntityID: Int] = [:]
      for what in lines.compactMap(LedgerAudit.Acknowledgement.init) {
        let level = what.kind == .promiseCreated ? 0 : what.kind == .promiseResolved ? 1 : 2
        levels[what.subject] = max(levels[what.subject] ?? 0, level)
      }
      return levels
    }

    private static func level(_ status: PromiseRecord.Status) -> Int {
      status == .pending ? 0 : status == .resolved ? 1 : 2
    }

    @Test(
      .enabled(if: Strace.isUsable, "needs strace and the right to trace"),
      arguments: ["pwrite64", "fdatasync", "fsync", "renameat", "unlinkat"])
    func aBackupThatIsKilledAnywhereLeavesNoHalfOne(call: String) async throws {
      let temporary = try await sample()
      let target = temporary.path + ".backup"
      for number in 1...Self.largestCallNumber {
        let ending = try await backUp(temporary, "\(call):signal=KILL:when=\(number)")
        if try FileSystem.kind(target) != nil {
          let inspector = try BlockingInspector(at: target)
          _ = try inspector.verify { Issue.record("\(call) \(number): \($0)") }
          inspector.close()
          try FileSystem.removeTree(target)
        } else {
          #expect(ending != .exited(0))
        }
        if ending == .exited(0) {
          // What the killed ones left is gone, too.
          #expect(try FileSystem.list(FileSystem.parent(of: target)) == ["ledger"])
          return
        }
      }
      Issue.record("more than \(Self.largestCallNumber) calls of \(call)")
    }

    @Test(
      .enabled(if: Strace.isUsable, "needs strace and the right to trace"),
      arguments: [
        "pwrite64:error=ENOSPC", "pwrite64:error=EIO", "fdatasync:error=EIO", "fsync:error=EIO",
        "renameat:error=EXDEV", "mkdirat:error=EACCES",
      ])
    func aBackupOntoADiskThatFailsLeavesNothing(fault: String) async throws {
      let temporary = try await sample()
      for number in [1, 2, 3, 5] {
        let ending = try await backUp(temporary, "\(fault):when=\(number)+")
        let left = try FileSystem.list(FileSystem.parent(of: temporary.path))
        // A later call of this kind may not be needed at all.
        let isMade = ending == .exited(0)
        #expect(left == (isMade ? ["ledger", "ledger.backup"] : ["ledger"]), "\(fault) \(number)")
        try FileSystem.removeTree(temporary.path + ".backup")
      }
    }

    private func sample() async throws -> TemporaryLedger {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open()
      for number in 0..<40 {
        let promise = try await ledger.createPromise(of: String.self)
        try await promise.fulfill(String(repeating: "x", count: number * 200))
      }
      await ledger.close()
      return temporary
    }

    private func backUp(
      _ temporary: TemporaryLedger, _ fault: String
    ) async throws -> ChildProcess.Ending? {
      let name = fault.prefix { $0 != ":" }
      let worker = try WorkerProcess(
        ["back-up", temporary.path, temporary.path + ".backup"],
        wrapper: [
          Strace.path, "-f", "-q", "-o", "/dev/null", "-e", "trace=\(name)", "-e",
          "inject=\(fault)",
        ])
      _ = await worker.rest()
      return await worker.end()
    }
  }
}
