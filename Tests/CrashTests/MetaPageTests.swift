import Foundation
import LedgerHistories
import Logging
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// Flipped bits in the two pages that lead to everything else.
  @Suite(.timeLimit(.minutes(2))) struct MetaPageTests {
    /// Page header and meta together, as LMDB 0.9 lays them out.
    private static let byteCount = 16 + 136
    private static let pageSize = 4_096

    private let temporary: TemporaryLedger
    private var dataFile: String { temporary.path + "/generation-000001/data.mdb" }

    init() throws { temporary = try TemporaryLedger() }

    /// One bit of each byte here; every bit of them on the layer below.
    @Test(arguments: [0, 1])
    func aFlippedBitIsRefusedOrChangesNothing(page: Int) async throws {
      let acknowledged = try await fill()
      let whole = Array(try Data(contentsOf: URL(fileURLWithPath: dataFile)))
      var codes: [LedgerError.Code: Int] = [:]
      for byte in 0..<Self.byteCount {
        var damaged = whole
        damaged[page * Self.pageSize + byte] ^= 1 << UInt8((byte * 3 + page) % 8)
        try write(damaged)
        if let code = await codeOfLife() {
          codes[code, default: 0] += 1
        } else {
          // Everything is still there after more commits.
          do {
            let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
            #expect(audit.findings(acknowledged: acknowledged).isEmpty, "byte \(byte)")
          } catch {
            Issue.record("byte \(byte): \(error)")
          }
        }
      }
      #expect(Set(codes.keys).isSubset(of: [.corrupt, .incompatibleFormat]))
      // No bit that decides what is read may go unnoticed.
      #expect(codes[.corrupt, default: 0] > 50, "\(codes)")
      try write(whole)
      try await expectWorks(temporary)
    }

    /// Several commits, so that both pages are in use and pages were freed.
    private func fill() async throws -> [String] {
      var acknowledged: [String] = []
      for _ in 0..<3 {
        let ledger = try await temporary.open()
        let promise = try await ledger.createPromise(of: [UInt8].self)
        try await promise.fulfill([UInt8](repeating: 0xA7, count: 9_000))
        acknowledged += ["C \(promise.id)", "R \(promise.id)"]
        await ledger.close()
      }
      return acknowledged
    }

    /// Opens the ledger and writes to it.
    private func codeOfLife() async -> LedgerError.Code? {
      var configuration = LedgerConfiguration()
      configuration.logger = .silent
      do {
        let ledger = try await temporary.open(configuration: configuration)
        try await ledger.createPromise(of: Int.self).fulfill(1)
        await ledger.close()
        return nil
      } catch {
        #expect(error is LedgerError)
        return (error as? LedgerError)?.code
      }
    }

    private func write(_ bytes: [UInt8]) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: dataFile))
      // Events that came since the bytes were read are to be gone.
      try? FileManager.default.removeItem(atPath: temporary.path + "/wake")
    }
  }
}
