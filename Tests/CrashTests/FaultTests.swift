import Foundation
import LedgerHistories
import LedgerLMDB
import LedgerSystem
import LedgerTestSupport
import Logging
import PromiseLedger
import PromiseLedgerTesting
import Testing

#if DEBUG
  extension CrashTests {
    /// Each call of LMDB fails once, at the places where a promise's life makes it.
    @Suite(.timeLimit(.minutes(10)))
    struct FaultTests {
      private static let largestCallNumber = 300

      /// Of so many calls, one fails; in the long run, every one.
      private static let stride = TestAmount.factor > 1 ? 1 : 3

      @Test(.timeLimit(.minutes(2)), arguments: LMDBOperation.allCases)
      func everyFailingCallLeavesTheLedgerWhole(_ operation: LMDBOperation) async throws {
        for (number, status) in Self.statuses(of: operation).enumerated() {
          let first = 1 + number % Self.stride
          for call in Swift.stride(from: first, through: Self.largestCallNumber, by: Self.stride) {
            let temporary = try TemporaryLedger(in: Scratch.path)
            let faults = FaultInjector()
            faults.force(status, on: operation, call: call)
            let acknowledged = try await live(in: temporary, faults)
            #expect(openFiles(below: temporary.path).isEmpty, "\(operation) \(call) \(status)")
            try await expectWorks(temporary)
            let findings = try LedgerAudit(BlockingInspector(at: temporary.path))
              .findings(acknowledged: acknowledged)
            #expect(findings.isEmpty, "\(operation) \(call) \(status)")
            if faults.firedCount == 0 { break }
            #expect(call <= Self.largestCallNumber - Self.stride, "\(operation) \(status)")
          }
        }
      }

      private static func statuses(of operation: LMDBOperation) -> [LMDBStatus] {
        switch operation {
        case .commit: [.system(.inputOutput), .system(.noSpace), .panic, .mapFull]
        case .put: [.mapFull, .system(.inputOutput)]
        case .begin: [.readersFull, .panic]
        default: [.system(.inputOutput)]
        }
      }

      /// Goes through a promise's life and continues after failures; each must be a ledger's error.
      ///
      /// - Returns: The acknowledged steps.
      private func live(in temporary: TemporaryLedger, _ faults: FaultInjector) async throws
        -> [String]
      {
        var configuration = LedgerConfiguration()
        configuration.files.environment.faults = faults
        configuration.logger = .silent
        let opened = await attempt {
          try await temporary.open(configuration: configuration)
        }
        guard let ledger = opened else { return [] }
        let key = try PromiseKey("k")
        let promise = try ledger.promise(id: key.promiseID, of: [UInt8].self)
        var acknowledged: [String] = []
        if await attempt({ try await ledger.createPromise(key: key, of: [UInt8].self) }) != nil {
          acknowledged.append("C \(promise.id)")
          let large = [UInt8](repeating: 3, count: 9_000)
          if let resolution = await attempt({ try await promise.fulfill(large) }) {
            #expect(resolution.isSuccess)
            acknowledged.append("R \(promise.id)")
            if let value = await attempt({ try await promise.consume() }) {
              #expect(value == large)
              acknowledged.append("K \(promise.id)")
            }
          }
        }
        _ = await attempt { try await ledger.freeze() }
        if await attempt({ try await ledger.unfreeze() }) == nil {
          // A step that failed once need not fail again.
          _ = await attempt { try await ledger.unfreeze() }
        }
        await ledger.close()
        return acknowledged
      }

      private func attempt<R>(_ body: () async throws -> R) async -> R? {
        do {
          return try await body()
        } catch {
          #expect(error is LedgerError, "\(error)")
          return nil
        }
      }
    }
  }
#endif

/// The files below a directory that this process has open; none where `/proc` is not.
func openFiles(below path: String) -> [String] {
  let files = FileManager.default
  let links = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  return links.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    .filter { $0.hasPrefix(path) }
}

extension Logger {
  /// A logger for steps that are meant to fail.
  static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
