import Foundation
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Work that earlier builds wrote is still run: a fixture of each format version is kept, as
/// `ledger-worker fixture-work` made it then, with its export.
@Suite(.timeLimit(.minutes(10))) struct WorkFixtureTests {
  private static let versions = [1]

  private static func copy(_ version: Int) throws -> TemporaryLedger {
    try FixtureFiles.copy("format-\(version)-work")
  }

  private static func archive(_ version: Int) throws -> [UInt8] {
    try FixtureFiles.bytes("format-\(version)-work.jsonl")
  }

  @Test(arguments: versions)
  func everythingIsRead(version: Int) throws {
    let ledger = try Self.copy(version)
    #expect(try FixtureFiles.findings(at: ledger.path) == [])
    #expect(try BlockingInspector(at: ledger.path).archive() == Self.archive(version))
  }

  @Test(arguments: versions)
  func itsArchiveIsImported(version: Int) throws {
    let target = try TemporaryLedger()
    let archive = try ArchiveFile(Self.archive(version))
    _ = try LedgerImport().makeLedger(at: target.path, from: archive.path)
    #expect(try BlockingInspector(at: target.path).archive() == Self.archive(version))
  }

  /// Every event of work is there, and something in every list of work that no process runs.
  @Test(arguments: versions)
  func itHasEverythingThatWorkCanBe(version: Int) throws {
    let ledger = try Self.copy(version)
    let inspector = try BlockingInspector(at: ledger.path)
    let kinds = Set(try inspector.allEvents().map(\.kind))
    let expected: Set<EventKind> = [
      .workStarted, .workReleased, .workStepFinished, .workCancelRequested, .workAmended,
    ]
    #expect(kinds.isSuperset(of: expected))
    let lists = try inspector.store.snapshotSummary().counts.lists
    let others: [OpenList.Kind] = [.deadlines, .scopes, .handlers, .running]
    for list in OpenList.Kind.allCases where !others.contains(list) {
      #expect(lists[list] > 0, "\(list)")
    }
  }

  @Test(arguments: versions)
  func itsWorkIsRunToItsEnd(version: Int) async throws {
    let temporary = try Self.copy(version)
    var configuration = CompactionSample.configuration()
    let clock = ManualLedgerClock()
    configuration.clock = clock
    try configuration.handlers.register(Visit.self)
    try configuration.handlers.register(Stumble.self)
    try configuration.handlers.register(Rest.self)
    let ledger = try await temporary.open(configuration: configuration)
    clock.advance(by: .seconds(90_000))
    let gate: DurablePromise<String> = try await ledger.findOrCreatePromise(
      key: PromiseKey("gate"))
    try await gate.fulfill("open")
    #expect(try await LedgerRunner(ledger).drain(until: clock.now() + .seconds(60)))
    for name in ["old", "new"] {
      func outcome(_ state: String) async throws -> PromiseOutcome<String> {
        try await ledger.promise(id: PromiseKey("\(name) \(state)").promiseID, of: String.self)
          .outcome
      }
      for state in ["plain", "laned"] {
        let text = "charged \(name) \(state), no answer, open"
        #expect(try await outcome(state).get() == text)
      }
      for state in ["due", "later", "laned 1", "laned 2", "resumed"] {
        #expect(try await outcome(state).get() == "\(name) \(state)")
      }
      #expect(try await outcome("behind").get() == "\(name) behind the gate")
      for state in ["cancelled", "asked"] {
        guard case .cancelled = try await outcome(state) else {
          Issue.record("The work \(name) \(state) was not cancelled.")
          continue
        }
      }
      guard case .rejected = try await outcome("retrying") else {
        Issue.record("The work \(name) retrying was not given up.")
        continue
      }
    }
    // No step ran again.
    #expect(Visit.bodyCount.withLock(\.self) == 0)
    let parked = try await ledger.openWork().filter { $0.work?.state == .parked }
    #expect(parked.count == 4)
    _ = try await ledger.compact(CompactionSample.everything)
    await ledger.close()
    #expect(try FixtureFiles.findings(at: temporary.path) == [])
  }
}

/// The work of the fixture, whose steps have ended.
private struct Visit: LedgerWork {
  static let kind = "visit"
  static let bodyCount = Mutex(0)
  let name: String
  let gate: DurablePromise<String>
  let known: String

  func run(in call: WorkCall<Void>) async throws -> String {
    let charge = try await call.step("charge") { _ in
      Self.bodyCount.withLock { $0 += 1 }
      return "charged again"
    }
    do {
      _ = try await call.step("ship", key: "parcel") { _ in
        Self.bodyCount.withLock { $0 += 1 }
        return 1
      }
    } catch let failure as StepFailure {
      #expect("\(failure)".contains("It cannot be shipped."))
    }
    let large = try await call.step("large") { _ in
      Self.bodyCount.withLock { $0 += 1 }
      return ""
    }
    #expect(large == String(repeating: "large ", count: 1_500))
    try await call.sleep(for: .seconds(1_000_000))
    let id = try #require(PromiseID(known))
    let known: DurablePromise<String> = try call.ledger.promise(id: id)
    #expect(try await call.value(of: known).hasSuffix("known"))
    _ = try await call.start(Rest.self, ["name": "another child"], name: "child")
    let answer = try await call.promise("answer", of: String.self)
    let said = try await call.outcome(of: answer, until: call.startedAt + .seconds(86_400))
    return "\(charge), \(said == nil ? "no answer" : "answered"), \(try await call.value(of: gate))"
  }
}

private struct Stumble: LedgerWork {
  static let kind = "stumble"

  func run(in call: WorkCall<Void>) async throws -> Int {
    throw StoredError(domain: "server", code: 7, message: "It stumbled.")
  }
}

private struct Rest: LedgerWork {
  static let kind = "rest"
  let name: String

  func run(in call: WorkCall<Void>) async throws -> String { name }
}
