import Foundation
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Reads of a store that is slow to answer keep none of Swift's threads waiting.
@Suite(.timeLimit(.minutes(5))) struct RemoteReadsTests {
  private static let count = 4 * ProcessInfo.processInfo.activeProcessorCount

  private let store = GatedStore()

  private func open(_ instance: String = "main") async throws -> Ledger {
    try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration(instance))
  }

  /// Waits for something that other tasks bring about.
  private func until(_ condition: () -> Bool) async throws {
    let deadline = MonotonicClock.now + .seconds(60)
    while !condition() {
      try #require(MonotonicClock.now < deadline)
      await Task.yield()
    }
  }

  @Test func otherTasksGoOnMeanwhile() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    let begun = Tally()
    store.hold()
    try await withThrowingTaskGroup { group in
      for _ in 0..<Self.count {
        group.addTask {
          begun.add()
          let record = try await ledger.record(of: promise.id)
          #expect(record?.status == .pending)
        }
      }
      try await until { begun.count == Self.count }
      store.release()
      try await group.waitForAll()
    }
    await ledger.close()
  }

  /// Something that reads much.
  struct LongRead: Sendable, CustomStringConvertible {
    let description: String
    let run: @Sendable (Ledger) async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (Ledger) async throws -> Void) {
      (self.description, self.run) = (description, run)
    }
  }

  static let longReads = [
    LongRead("plan") { _ = try await $0.plan() },
    LongRead("state") { _ = try await $0.state() },
    LongRead("digest") { _ = try await $0.logDigest() },
    LongRead("export") { ledger in
      do {
        try await ledger.export { _ in }
      } catch let error as LedgerError where error.code == .compactionBusy {
        // Another one is at it.
      }
    },
  ]

  @Test(arguments: longReads)
  func otherTasksGoOnBesideLongReads(read: LongRead) async throws {
    let ledger = try await open()
    _ = try await ledger.createPromise(of: Int.self)
    let begun = Tally()
    store.hold()
    try await withThrowingTaskGroup { group in
      for _ in 0..<Self.count {
        group.addTask {
          begun.add()
          try await read.run(ledger)
        }
      }
      try await until { begun.count == Self.count }
      try await until { store.heldCount > 0 }
      store.release()
      try await group.waitForAll()
    }
    await ledger.close()
  }

  @Test func someReadsRunSideBySideAndNotMore() async throws {
    let ledger = try await open()
    let head = try await ledger.catchUp()
    store.hold()
    // The listener looks, too.
    let before = store.heldCount
    let reads = (0..<4 * LedgerEngine.maximumReadCount).map { _ in
      Task { try await ledger.engine.readStore { store in try store.head() } }
    }
    try await until { store.heldCount >= LedgerEngine.maximumReadCount }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(store.heldCount <= before + LedgerEngine.maximumReadCount + 1)
    store.release()
    for read in reads { #expect(try await read.value == head) }
    await ledger.close()
  }

  @Test func aReadSeesEarlierWrites() async throws {
    let (mine, other) = (try await open("mine"), try await open("other"))
    for number in 0..<100 {
      let promise = try await mine.createPromise(of: Int.self)
      #expect(try await mine.record(of: promise.id) != nil)
      try await other.promise(id: promise.id, of: Int.self).fulfill(number)
      #expect(try await mine.record(of: promise.id)?.status == .resolved)
    }
    await mine.close()
    await other.close()
  }

  @Test func aReadThatWaitsEndsWithItsTask() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    store.hold()
    let first = Task { try await ledger.record(of: promise.id) }
    let second = Task { try await ledger.record(of: promise.id) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    store.release()
    #expect(try await first.value != nil)
    await ledger.close()
  }

  @Test func readsThatWaitEndWithTheSession() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    store.hold()
    let reads = (0..<Self.count).map { _ in Task { try await ledger.record(of: promise.id) } }
    await ledger.close()
    store.release()
    for read in reads {
      // Those that were answered before are fine.
      if case .failure(let error) = await read.result {
        #expect((error as? LedgerError)?.code == .closed)
      }
    }
  }

  // MARK: Sharing

  @Test func aReadEndsWithItsTaskAlsoDuringItsCheck() async throws {
    let checks = HeadChecks()
    let gate = WakeSemaphore()
    let begun = Tally()
    let look = { @Sendable (_: any EventStore) throws(LedgerError) in
      begun.add()
      #expect(gate.wait(timeout: .seconds(60)), "the canceled read waited for its check")
    }
    let read = Task { [store] in try await checks.check(store, look) }
    try await until { begun.count == 1 }
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    gate.signal()
  }

  @Test func readsThatComeMeanwhileShareTheNextLook() async throws {
    let checks = HeadChecks()
    let gate = WakeSemaphore()
    let begun = Tally()
    let look = { @Sendable (_: any EventStore) throws(LedgerError) in
      if begun.add() == 1 {
        #expect(gate.wait(timeout: .seconds(60)))
      }
    }
    try await withThrowingTaskGroup { [store] group in
      group.addTask { try await checks.check(store, look) }
      try await until { begun.count == 1 }
      for _ in 0..<50 {
        group.addTask {
          try await checks.check(store, look)
          #expect(begun.count == 2, "the first one was too early")
        }
      }
      try await until { checks.waitingCount == 50 }
      gate.signal()
      try await group.waitForAll()
    }
    #expect(begun.count == 2)
  }

  @Test func eachStoreIsLookedAt() async throws {
    let checks = HeadChecks()
    let (closed, open) = (GatedStore(), GatedStore())
    let gate = WakeSemaphore()
    let begun = Tally()
    let look = { @Sendable (store: any EventStore) throws(LedgerError) in
      if begun.add() == 1 {
        #expect(gate.wait(timeout: .seconds(60)))
      }
      if store === closed { throw .storeClosed }
    }
    let first = Task { try await checks.check(open, look) }
    try await until { begun.count == 1 }
    let reads = (0..<20).map { number in
      Task { try await checks.check(number % 2 == 0 ? open : closed, look) }
    }
    try await until { checks.waitingCount == reads.count }
    gate.signal()
    try await first.value
    for (number, read) in reads.enumerated() {
      let code: LedgerError.Code?
      do {
        try await read.value
        code = nil
      } catch {
        code = (error as? LedgerError)?.code
      }
      #expect(code == (number % 2 == 0 ? nil : .closed))
    }
  }
}

/// Counts the operations of several threads.
private final class Tally: Sendable {
  private let value = Atomic<Int>(0)

  var count: Int { value.load(ordering: .sequentiallyConsistent) }

  /// - Returns: How often it was called.
  @discardableResult
  func add() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
}
