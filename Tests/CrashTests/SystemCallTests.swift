import Foundation
import LedgerHistories
import LedgerSystem
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// The system calls of a worker, observed and made to fail by strace.
  @Suite(
    .enabled(if: Strace.isUsable, "needs strace and the right to trace"), .timeLimit(.minutes(3)))
  struct SystemCallTests {
    private static let largestCallNumber = 100

    @Test func acknowledgementComesAfterBothFlushes() async throws {
      let temporary = try await created()
      let trace = temporary.path + ".trace"
      let worker = try WorkerProcess(
        ["script", temporary.path, "c"],
        wrapper: [
          Strace.path, "-f", "-y", "-o", trace, "-e",
          "trace=fdatasync,fsync,pwrite64,write,writev,pwritev,openat",
        ])
      let lines = await worker.rest()
      #expect(lines.last?.hasPrefix("C ") == true)
      let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      // Between the two lines that the worker prints there is one commit.
      let opened = try #require(calls.firstIndex { $0.contains("\"opened ") })
      let acknowledged = try #require(calls.firstIndex { $0.contains("\"C ") })
      let commit = calls[opened..<acknowledged].filter { $0.contains("data.mdb") }
      // Another thread's line may come between the begin and the end of a call: "unfinished".
      let finished = commit.filter { !$0.contains("unfinished") }
      let flush = try #require(finished.firstIndex { $0.contains("fdatasync(") })
      let meta = try #require(finished.lastIndex { $0.contains("pwrite64(") })
      #expect(flush < meta, "\(commit)")
      // The meta page goes to a descriptor that waits for the disk.
      let number = try #require(descriptor(finished[meta]))
      let opening = calls[..<opened].last { $0.contains("openat(") && $0.contains("= \(number)<") }
      #expect(opening?.contains("O_DSYNC") == true, "\(opening ?? "")")
      #expect(finished[meta].contains(", 120, ") || finished[meta].contains(", 120)"), "\(commit)")
    }

    /// The maker was killed after it gave the ledger its name, which a power cut may then take away.
    @Test func nothingIsAcknowledgedBeforeTheNameOfANewLedgerIsDurable() async throws {
      let temporary = try await created()
      try Data().write(to: URL(fileURLWithPath: temporary.path + "/making"))
      let trace = temporary.path + ".trace"
      let worker = try WorkerProcess(
        ["script", temporary.path, "c"],
        wrapper: [Strace.path, "-f", "-y", "-o", trace, "-e", "trace=fsync,unlinkat,write"])
      _ = await worker.rest()
      let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      let parent = URL(fileURLWithPath: temporary.path).deletingLastPathComponent().path
      func index(_ call: String, _ what: String) -> Int? {
        calls.firstIndex { $0.contains(call) && $0.contains(what) }
      }
      let name = try #require(index("fsync(", "<\(parent)>"), "\(calls)")
      let entries = try #require(index("fsync(", "<\(temporary.path)>"), "\(calls)")
      let removal = try #require(index("unlinkat(", "\"making\""), "\(calls)")
      let opened = try #require(index("write(", "\"opened "), "\(calls)")
      #expect(name < removal && entries < removal && removal < opened, "\(calls)")
    }

    @Test(arguments: ["pwrite64", "fdatasync", "fsync", "write"])
    func killedAtEveryCallNothingAcknowledgedIsLost(_ name: String) async throws {
      for number in 1...Self.largestCallNumber {
        let temporary = try await created()
        let holder = try BlockingInspector(at: temporary.path)
        let (lines, ending) = try await live(temporary, "\(name):signal=KILL:when=\(number)")
        try await expectWhole(temporary, holder, lines, "\(name) \(number)")
        if ending == .exited(0) { return }
        #expect(number < Self.largestCallNumber, "\(name)")
      }
    }

    @Test(arguments: ["pwrite64:error=EIO", "fdatasync:error=EIO", "pwrite64:error=ENOSPC"])
    func answersAreTrueWhenTheDiskFails(_ fault: String) async throws {
      for number in 1...Self.largestCallNumber {
        let temporary = try await created()
        let holder = try BlockingInspector(at: temporary.path)
        let (lines, ending) = try await live(temporary, "\(fault):when=\(number)")
        try await expectWhole(temporary, holder, lines, "\(fault) \(number)")
        #expect(
          ending == .exited(0) || lines.last?.hasPrefix("error ") == true,
          "\(fault) \(number): \(lines)")
        if lines.count == 7, !lines.contains(where: { $0.hasPrefix("error ") }),
          lines.last?.hasPrefix("done-x") == true, number > 20
        {
          return
        }
      }
    }

    @Test(arguments: ["pwrite64", "fdatasync", "fsync", "rename", "ftruncate"])
    func killedWhileItCreatesALedgerLeavesNoHalfOne(_ name: String) async throws {
      for number in 1...Self.largestCallNumber {
        let temporary = try TemporaryLedger()
        let (lines, ending) = try await live(temporary, "\(name):signal=KILL:when=\(number)")
        try await expectWorks(temporary)
        let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
        #expect(audit.findings(acknowledged: lines).isEmpty, "\(name) \(number)")
        if ending == .exited(0) { return }
      }
    }

    // MARK: Support

    private func created() async throws -> TemporaryLedger {
      let temporary = try TemporaryLedger()
      await (try temporary.open()).close()
      return temporary
    }

    private func live(
      _ temporary: TemporaryLedger, _ fault: String
    ) async throws -> ([String], ChildProcess.Ending?) {
      let name = fault.prefix { $0 != ":" }
      let worker = try WorkerProcess(
        ["script", temporary.path, "crkfux"],
        wrapper: [
          Strace.path, "-f", "-q", "-o", "/dev/null", "-e", "trace=\(name)", "-e",
          "inject=\(fault)",
        ])
      let lines = await worker.rest()
      return (lines, await worker.end())
    }

    private func expectWhole(
      _ temporary: TemporaryLedger, _ holder: BlockingInspector, _ lines: [String], _ what: String
    ) async throws {
      let findings = try LedgerAudit(holder).findings(acknowledged: lines)
      #expect(findings.isEmpty, "\(what)")
      // While it is still held open: the lock file is as the killed process left it.
      let worker = try WorkerProcess(["script", temporary.path, "crkx"])
      let after = await worker.rest()
      #expect(after.map { $0.prefix(1) } == ["o", "C", "R", "K", "d"], "\(what): \(after)")
    }

    private func descriptor(_ call: Substring) -> Substring? {
      guard let open = call.range(of: "pwrite64("), let end = call.range(of: "<") else {
        return nil
      }
      return call[open.upperBound..<end.lowerBound]
    }
  }
}
