import Foundation
import LedgerLMDB
import LedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Inspecting a ledger that the same process has open, and the other way round.
@Suite(.timeLimit(.minutes(5))) struct InspectorTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  @Test(arguments: [true, false])
  func anOpenLedgerCanBeInspected(locking: Bool) async throws {
    let ledger = try await temporary.open()
    let inspector = try BlockingInspector(at: temporary.path, locking: locking)
    #expect(inspector.id == ledger.id)
    let promise = try await ledger.createPromise(of: [UInt8].self)
    try await promise.fulfill([UInt8](repeating: 3, count: 9_000))
    let events = try inspector.events()
    #expect(
      events.map(\.kind) == [.ledgerCreated, .sessionOpened, .promiseCreated, .promiseResolved])
    #expect(try inspector.attachment(of: #require(events.last)).count == 9_000)
    await ledger.close()
    #expect(try inspector.head == Position(rawValue: 5))
    inspector.close()
    #expect(openFileCount() == 0)
  }

  @Test(arguments: [true, false])
  func anInspectedLedgerCanBeOpened(locking: Bool) async throws {
    await (try temporary.open()).close()
    let inspector = try BlockingInspector(at: temporary.path, locking: locking)
    let before = try inspector.head
    let ledger = try await temporary.open()
    #expect(try inspector.head == before.advanced(by: 1))
    try await ledger.freeze()
    #expect(try inspector.head == before.advanced(by: 2))
    try await ledger.unfreeze()
    _ = try await ledger.createPromise(of: Int.self)
    #expect(try inspector.events(after: before).map(\.kind.description).count == 4)
    await ledger.close()
    inspector.close()
    #expect(openFileCount() == 0)
  }

  @Test func severalInspectionsAndLedgersShareTheFiles() async throws {
    await (try temporary.open()).close()
    let inspectors = try (0..<3).map { _ in try BlockingInspector(at: temporary.path) }
    let ledgers = [try await temporary.open(), try await temporary.open(as: .appExtension)]
    try await withThrowingTaskGroup { group in
      for ledger in ledgers {
        group.addTask {
          for _ in 0..<20 {
            _ = try await ledger.createPromise(of: Int.self)
            try await ledger.freeze()
            try await ledger.unfreeze()
          }
        }
      }
      for inspector in inspectors {
        group.addTask {
          var last = Position.start
          for _ in 0..<200 {
            let head = try inspector.head
            #expect(head >= last)
            last = head
          }
        }
      }
      try await group.waitForAll()
    }
    for ledger in ledgers { await ledger.close() }
    let heads = try inspectors.map { try $0.head }
    #expect(Set(heads).count == 1)
    for inspector in inspectors { inspector.close() }
    #expect(openFileCount() == 0)
  }

  @Test func aClosedInspectionRefuses() async throws {
    await (try temporary.open()).close()
    let inspector = try BlockingInspector(at: temporary.path)
    let event = try #require(try inspector.events().first)
    inspector.close()
    inspector.close()
    #expect(openFileCount() == 0)
    #expect(code { _ = try inspector.head } == .closed)
    #expect(code { _ = try inspector.events() } == .closed)
    #expect(code { _ = try inspector.attachment(of: event) } == nil, "it has none")
    #expect(inspector.formatVersion == 1)
  }

  #if DEBUG
    @Test func anIdleInspectionDoesNotKeepALedgerFromLeavingAPanic() async throws {
      let faults = FaultInjector()
      var configuration = LedgerConfiguration()
      configuration.files.environment.faults = faults
      let ledger = try await temporary.open(configuration: configuration)
      let inspector = try BlockingInspector(at: temporary.path)
      let promise = try await ledger.createPromise(of: Int.self)
      faults.force(.panic, on: .commit)
      await #expect(throws: LedgerError.self) { try await promise.fulfill(1) }
      #expect(try await promise.fulfill(2).isSuccess)
      let head = try await ledger.catchUp()
      #expect(try inspector.head == head)
      await ledger.close()
      inspector.close()
    }
  #endif

  private func code(_ body: () throws -> Void) -> LedgerError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? LedgerError)?.code
    }
  }

  /// The ledger's files that this process has open; none where `/proc` is not.
  private func openFileCount() -> Int {
    let files = FileManager.default
    let links = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return links.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .count { $0.hasPrefix(temporary.path) }
  }
}
