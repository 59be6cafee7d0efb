import LedgerSystem
import LedgerWorkerSupport
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// A process that may use little address space (RLIMIT_AS).
  @Suite(.timeLimit(.minutes(2))) struct AddressSpaceTests {
    /// At some size each step is the first one that fails, and none waits for ever.
    @Test(arguments: Array(stride(from: 60, through: 160, by: 10)))
    func aLackOfAddressSpaceIsAnErrorAndNoHang(mebibytes: Int) async throws {
      let temporary = try TemporaryLedger()
      let command = "ulimit -v \(mebibytes << 10); exec \"$0\" script \"$1\" crkx"
      let worker = try WorkerProcess(
        ["-c", command, WorkerProcess.program, temporary.path], program: "/bin/sh")
      let lines = await worker.rest()
      let ending = await worker.end()
      // The loader may lack room, too.
      let isEnded = [0, 1, 127].contains { ending == .exited($0) }
      #expect(isEnded, "\(mebibytes): \(ending.map { "\($0)" } ?? "it hangs") \(lines)")
      try await expectWorks(temporary)
    }
  }
}
