import Foundation
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// What earlier builds recorded means the same for ever: a fixture of each format version is kept, as
/// `ledger-worker fixture-recorded` made it then, with its export and its recording. `promise-ledger export` and
/// `promise-ledger record` wrote those.
@Suite(.timeLimit(.minutes(10))) struct RecordedFixtureTests {
  private static let versions = [1]

  private static func copy(_ version: Int) throws -> TemporaryLedger {
    try FixtureFiles.copy("format-\(version)-recorded")
  }

  private static func file(_ version: Int, _ ending: String) throws -> [UInt8] {
    try FixtureFiles.bytes("format-\(version)-recorded\(ending)")
  }

  private static func handlers() throws -> HandlerRegistry {
    var handlers = HandlerRegistry()
    try handlers.register(Remind.self)
    try handlers.register(Endless.self)
    try handlers.register(Shopping.self)
    return handlers
  }

  private static func recording(at path: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try BlockingInspector(at: path).record { bytes += $0 }
    return bytes
  }

  @Test(arguments: versions)
  func everythingIsRead(version: Int) throws {
    let ledger = try Self.copy(version)
    #expect(try FixtureFiles.findings(at: ledger.path) == [])
    #expect(try BlockingInspector(at: ledger.path).archive() == Self.file(version, ".jsonl"))
    #expect(try Self.recording(at: ledger.path) == Self.file(version, ".recording.jsonl"))
  }

  /// A recording is an archive, too. What is made of either exports and records the same.
  @Test(arguments: versions, [".jsonl", ".recording.jsonl"])
  func itsArchivesAreImported(version: Int, ending: String) throws {
    let target = try TemporaryLedger()
    let archive = try ArchiveFile(Self.file(version, ending))
    _ = try LedgerImport().makeLedger(at: target.path, from: archive.path)
    #expect(try BlockingInspector(at: target.path).archive() == Self.file(version, ".jsonl"))
    #expect(try Self.recording(at: target.path) == Self.file(version, ".recording.jsonl"))
  }

  /// The state after each event is that of the build that recorded it.
  @Test(arguments: versions)
  func itsRecordingIsReplayed(version: Int) async throws {
    let path = FixtureFiles.path("format-\(version)-recorded.recording.jsonl")
    var replayer = Replayer(try Self.handlers())
    replayer.expect("buy", of: Shopping.self, toReturn: String.self)
    let report = try await replayer.replay([path])
    #expect(report.divergences == [])
    #expect(report.coverage.contains(.handlerRebound, in: "active", kind: "remind"))
    #expect(report.coverage.contains(.handlerInvalidationFinished, in: "running", kind: "remind"))
    let rebuilt = try RebuiltRecording(path)
    let states = try #require(rebuilt.recording).states
    #expect(states.count > 40 && states.last?.position == rebuilt.ledger.head())
    #expect(try rebuilt.bytes() == Self.file(version, ".recording.jsonl"))
  }

  @Test(arguments: versions)
  func itsHandlersAreCalledAndItsWorkIsRun(version: Int) async throws {
    let temporary = try Self.copy(version)
    var configuration = CompactionSample.configuration()
    let clock = ManualLedgerClock()
    clock.advance(by: .seconds(90_000))
    configuration.clock = clock
    configuration.handlers = try Self.handlers()
    let ledger = try await temporary.open(configuration: configuration)
    for (key, text) in ["old": "of old", "recent": "changed", "new": "of new"] {
      let rebound = ledger.handler(forKey: try HandlerKey("\(key) rebound"))
      #expect(try await rebound.call(as: Remind.self) == text)
      let withdrawn = ledger.handler(forKey: try HandlerKey("\(key) withdrawn"))
      await expectError(key == "old" ? .recordRemoved : .handlerInvalidated) {
        try await withdrawn.call()
      }
    }
    let large = ledger.handler(forKey: try HandlerKey("new large"))
    #expect(
      try await large.call(as: Remind.self) == String(repeating: "large ", count: 1_500))
    _ = try await ledger.retryWork(PromiseKey("recent waiting").promiseID)
    let gate: DurablePromise<String> = try await ledger.findOrCreatePromise(
      key: PromiseKey("gate"))
    try await gate.fulfill("open")
    #expect(try await LedgerRunner(ledger).drain(until: clock.now() + .seconds(60)))
    for name in ["old", "recent", "new"] {
      func outcome(_ state: String) async throws -> PromiseOutcome<String> {
        try await ledger.promise(id: PromiseKey("\(name) \(state)").promiseID, of: String.self)
          .outcome
      }
      // The step is not run again.
      let text = "bought by \(name) waiting, open"
      #expect(try await outcome("waiting") == .fulfilled(text))
      #expect(try await outcome("cancelled").kind == .cancelled)
    }
    _ = try await ledger.compact(CompactionSample.everything)
    await ledger.close()
    #expect(try FixtureFiles.findings(at: temporary.path) == [])
  }
}

/// The handler of the fixture.
private struct Remind: LedgerHandler {
  struct Invalidation: Codable, Sendable {
    let text: String
    let why: String
  }

  static let kind = "remind"
  let text: String

  func run(in call: HandlerCall<Void>) -> String { text }

  static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Void>) {}
}

private struct Endless: LedgerHandler {
  static let kind = "endless"

  func run(in call: HandlerCall<Void>) -> Int { 1 }
}

/// The work of the fixture, whose step has ended.
private struct Shopping: LedgerWork {
  static let kind = "shopping"
  let name: String
  let gate: DurablePromise<String>

  func run(in call: WorkCall<Void>) async throws -> String {
    let bought = try await call.step("buy") { _ in "bought again" }
    return "\(bought), \(try await call.value(of: gate))"
  }
}
