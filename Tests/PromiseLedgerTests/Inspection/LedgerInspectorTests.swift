import Dispatch
import Foundation
import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Looking at a ledger from asynchronous code.
@Suite(.timeLimit(.minutes(5)))
struct LedgerInspectorTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func write() async throws -> PromiseID {
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: [UInt8].self, label: "large")
    try await promise.fulfill([UInt8](repeating: 7, count: 20_000))
    await ledger.close()
    return promise.id
  }

  @Test func everyRequestAnswersAsTheBlockingOneDoes() async throws {
    let id = try await write()
    let inspector = try await Ledger.inspect(at: temporary.path)
    let blocking = inspector.blocking
    #expect(inspector.id == blocking.id && inspector.createdAt == blocking.createdAt)
    #expect(inspector.formatVersion == blocking.formatVersion)
    let head = try await inspector.head
    #expect(head == (try blocking.head))
    let events = try await inspector.events()
    #expect(events == (try blocking.events()) && events.count == Int(head.rawValue))
    let resolved = try #require(events.first { $0.kind == .promiseResolved })
    #expect(try await inspector.attachment(of: resolved).count == 20_000)
    #expect(try await inspector.replay().record(of: id)?.status == .resolved)
    #expect(try await inspector.state(at: Position(rawValue: 3)).record(of: id)?.status == .pending)
    #expect(try await inspector.statistics() == blocking.statistics())
    #expect(try await inspector.digests() == blocking.digests())
    let findings = Mutex<[VerificationFinding]>([])
    let summary = try await inspector.verify { finding in findings.withLock { $0.append(finding) } }
    #expect(summary.corruptCount == 0 && findings.withLock { $0.isEmpty })
    let archive = Mutex<[UInt8]>([])
    try await inspector.export { piece in archive.withLock { $0 += piece } }
    var expected: [UInt8] = []
    try blocking.export { expected += $0 }
    #expect(archive.withLock { $0 } == expected)
    inspector.close()
  }

  @Test func aClosedInspectionAnswersNothing() async throws {
    _ = try await write()
    let inspector = try await Ledger.inspect(at: temporary.path)
    inspector.close()
    await expectError(.closed) { try await inspector.head }
    await expectError(.closed) { try await inspector.replay() }
  }

  @Test func aPathWithoutALedgerIsRefused() async throws {
    await expectError(.notALedger) { try await Ledger.inspect(at: temporary.path) }
  }

  @Test func aCancelledTaskBeginsNothing() async throws {
    _ = try await write()
    let inspector = try await Ledger.inspect(at: temporary.path)
    let task = Task {
      // Begins when it is cancelled.
      while !Task.isCancelled { await Task.yield() }
      return try await inspector.events()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    inspector.close()
  }

  /// More inspections than Swift has threads wait for each other: this ends only if each has a thread of
  /// its own.
  @Test func inspectionsBlockNoThreadOfSwift() async throws {
    _ = try await write()
    let count = ProcessInfo.processInfo.activeProcessorCount + 2
    let path = temporary.path
    let (arrivals, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          let inspector = try await Ledger.inspect(at: path)
          let isFirst = Mutex(true)
          try await inspector.export { _ in
            let isFirstPiece = isFirst.withLock { isFirst in
              defer { isFirst = false }
              return isFirst
            }
            guard isFirstPiece else { return }
            arrivals.signal()
            #expect(gate.wait(timeout: .now() + .seconds(60)) == .success)
          }
          inspector.close()
        }
      }
      let all = Thread {
        for _ in 0..<count { _ = arrivals.wait(timeout: .now() + .seconds(50)) }
        for _ in 0..<count { gate.signal() }
      }
      all.start()
      try await group.waitForAll()
    }
  }
}
