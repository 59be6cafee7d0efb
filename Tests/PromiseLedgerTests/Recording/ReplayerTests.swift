import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Recordings, and what another build makes of them.
@Suite(.timeLimit(.minutes(10)))
struct ReplayerTests {
  struct Ship: LedgerWork {
    static let kind = "ship"
    let order: Int

    func run(in call: WorkCall<Void>) async throws -> String {
      let number = try await call.step("pack") { _ in order }
      let signal = try await call.promise("signal", of: String.self)
      return "\(number) \(try await call.value(of: signal))"
    }
  }

  /// The kind of another build, whose argument has another type.
  struct OtherShip: LedgerWork {
    static let kind = "ship"
    let order: String

    func run(in call: WorkCall<Void>) async throws -> String { order }
  }

  /// The bytes of a recording of a history with open work.
  private static func bytes() async throws -> [UInt8] {
    try await Recording.history(of: ledger()).bytes
  }

  private static func ledger(_ values: Int...) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator()
    configuration.runner = .manual
    try configuration.handlers.register(Ship.self)
    let ledger = try await MemoryLedger().open(configuration: configuration)
    for value in values {
      let promise = try await ledger.createPromise(of: Int.self)
      try await promise.fulfill(value)
    }
    _ = try await ledger.start(Ship(order: 7))
    _ = try await LedgerRunner(ledger).drain(until: ledger.now + .seconds(10))
    return ledger
  }

  private static func handlers() throws -> HandlerRegistry {
    var handlers = HandlerRegistry()
    try handlers.register(Ship.self)
    return handlers
  }

  @Test func aRecordingOfThisBuildDoesNotDiverge() async throws {
    let file = try await ArchiveFile(Self.bytes())
    var replayer = Replayer(try Self.handlers())
    replayer.expect("pack", of: Ship.self, toReturn: Int.self)
    let report = try await replayer.replay([file.path])
    #expect(report.divergences == [])
    let count = Int(try RebuiltRecording(file.path).ledger.head().rawValue)
    #expect(report.files.map(\.comparedDigestCount) == [count], "one for each event")
    #expect(report.coverage.contains(WorkStepFinished.kind, in: "running", kind: "ship"))
    #expect(!report.coverage.contains(WorkStepFinished.kind, in: "parked"))
    let line = "workStepFinished  running  ship"
    #expect("\(report.coverage)".split(separator: "\n").contains { $0.hasPrefix(line) })
    #expect(try await replayer.minimized(file.path) == nil)
  }

  @Test func whatThisBuildCannotRunIsFound() async throws {
    let file = try await ArchiveFile(Self.bytes())
    let unknown = try await Replayer().replay([file.path]).divergences
    #expect(unknown.map(\.kind) == [.missingKind])
    #expect(unknown.first?.context.contains { $0.contains("work of the kind ship") } == true)
    var handlers = HandlerRegistry()
    try handlers.register(OtherShip.self)
    let other = try await Replayer(handlers).replay([file.path]).divergences
    #expect(other.map(\.kind) == [.argumentMismatch])
    var replayer = Replayer(try Self.handlers())
    replayer.expect("pack", of: Ship.self, toReturn: String.self)
    let step = try await replayer.replay([file.path]).divergences
    #expect(step.map(\.kind) == [.stepTypeMismatch])
    #expect(step.first?.expected.contains("string") == true)
  }

  /// An event that the build of the recording applied, and this one does not see.
  @Test func anotherDigestIsFoundAtItsEvent() async throws {
    let rebuilt = try await ReplayedFile(Self.bytes()).rebuilt
    var recording = try #require(rebuilt.recording)
    #expect(recording.states.count == Int(rebuilt.ledger.head().rawValue), "one for each event")
    for index in recording.states.indices.dropFirst(4) { recording.states[index].digest = .empty }
    let changed = RebuiltRecording(rebuilt.ledger, rebuilt.metadata, recording, rebuilt.summary)
    let file = try ArchiveFile(changed.bytes())
    let report = try await Replayer(try Self.handlers()).replay([file.path])
    let divergence = try #require(report.divergences.first)
    #expect(report.divergences.count == 1 && divergence.kind == .digestDiffers)
    #expect(divergence.position == Position(rawValue: 5))
    #expect(divergence.expected == "\(StateDigest.empty)")
    #expect(divergence.context.count == 6, "\(divergence)")
    #expect(report.files.map(\.comparedDigestCount) == [5])
  }

  /// An archive says nothing about states, and the report says so.
  @Test func anArchiveWithoutDigestsComparesNone() async throws {
    var archive: [UInt8] = []
    try await Self.ledger().export { archive += $0 }
    let (file, recording) = (try ArchiveFile(archive), try await ArchiveFile(Self.bytes()))
    let report = try await Replayer(try Self.handlers()).replay([file.path, recording.path])
    #expect(report.divergences == [])
    #expect(report.files.map { $0.comparedDigestCount > 0 } == [false, true])
  }

  @Test func withoutARecordingNothingIsReplayed() async {
    let error = await #expect(throws: LedgerError.self) { try await Replayer().replay([]) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func theShortestFailingPrefixIsARecording() async throws {
    let file = try await ArchiveFile(Self.bytes())
    let minimal = try #require(try await Replayer().minimized(file.path))
    let rebuilt = try RebuiltRecording(file.path)
    let created = try History(of: rebuilt.ledger).entries.map(\.event).first {
      $0.kind == PromiseCreated.kind
    }
    let ends = try rebuilt.ledger.commitEnds()
    #expect(minimal.position == ends.first { $0 >= created?.position ?? .start })
    #expect(minimal.isProven && minimal.divergences.map(\.kind) == [.missingKind])
    let shorter = try ArchiveFile(minimal.bytes)
    #expect(try await Replayer().replay([shorter.path]).divergences == minimal.divergences)
    withExtendedLifetime(shorter) {}
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func noShorterPrefixFails(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...40, using: &generator)
    var fails = (0..<count).map { _ in Int.random(in: 0..<8, using: &generator) == 0 }
    fails[count - 1] = true
    let known = fails
    let found = try await ShortestPrefix(of: count, trying: count) { known[$0] }
    #expect(found.index == known.firstIndex(of: true), "seed \(seed)")
    #expect(found.isProven)
    let hasty = try await ShortestPrefix(of: count, trying: 0) { known[$0] }
    #expect(known[hasty.index] && hasty.isProven == (hasty.index == 0))
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func aDamagedRecordingIsADivergence(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = try await Self.bytes()
    bytes[Int.random(in: bytes.indices, using: &generator)] ^=
      1 << UInt8.random(in: 0..<8, using: &generator)
    let file = try ArchiveFile(bytes)
    let report = try await Replayer(try Self.handlers()).replay([file.path])
    withExtendedLifetime(file) {}
    let classes: [RecordingDivergence.Kind] = [.damagedRecording, .newerRecording]
    #expect(report.divergences.count == 1, "seed \(seed)")
    #expect(report.divergences.allSatisfy { classes.contains($0.kind) })
  }

  // MARK: Recordings of tests

  @Test func aMissingRecordingIsMadeOnlyOnRequest() async throws {
    let place = try TemporaryLedger()
    let ledger = try await Self.ledger(1)
    var recording = Recording(place.path, mode: nil)
    func issue() async -> RecordingIssue? {
      await #expect(throws: RecordingIssue.self) { try await recording.verify(ledger) }
    }
    #expect(await issue()?.kind == .missing)
    recording.mode = .missing
    #expect(await issue()?.kind == .made)
    recording.mode = nil
    try await recording.verify(ledger)
    try await recording.verify(try await Self.ledger(1))
  }

  @Test func aRecordingThatDiffersIsReplacedOnlyOnRequest() async throws {
    let place = try TemporaryLedger()
    var recording = Recording(place.path, mode: .all)
    let (old, new) = (try await Self.ledger(1), try await Self.ledger(2))
    func issue() async -> RecordingIssue? {
      await #expect(throws: RecordingIssue.self) { try await recording.verify(new) }
    }
    _ = try? await recording.verify(old)
    for mode in [nil, Recording.Mode.missing] {
      recording.mode = mode
      let difference = await issue()
      #expect(difference?.kind == .differs)
      #expect(difference?.divergence?.kind == .otherEvent)
      #expect(difference?.divergence?.position == Position(rawValue: 4))
      #expect(difference?.divergence?.expected.hasSuffix("outcome: fulfilled with 1") == true)
      #expect(difference?.divergence?.actual.hasSuffix("outcome: fulfilled with 2") == true)
      #expect(difference?.description.contains("RECORD=failed") == true)
    }
    recording.mode = .failed
    #expect(await issue()?.kind == .remade)
    try await recording.verify(new)
  }

  @Test func anEqualRecordingIsReplacedOnRequestToo() async throws {
    let place = try TemporaryLedger()
    let ledger = try await Self.ledger(1)
    _ = try? await Recording(place.path, mode: .missing).verify(ledger)
    for mode in Recording.Mode.allCases {
      // Writing replaces the file by a new one, which has another identity.
      let identity = try FileSystem.identity(place.path)
      let recording = Recording(place.path, mode: mode)
      if mode == .all {
        let issue = await #expect(throws: RecordingIssue.self) {
          try await recording.verify(ledger)
        }
        #expect(issue?.kind == .remade)
      } else {
        try await recording.verify(ledger)
      }
      #expect((try FileSystem.identity(place.path) != identity) == (mode == .all), "\(mode)")
    }
    try await Recording(place.path, mode: nil).verify(ledger)
  }

  /// Values that begin alike, in the payload or beside it.
  @Test(arguments: [("payload", 500), ("value", 5_000)])
  func theFirstBytesThatDifferAreNamed(part: String, count: Int) async throws {
    let place = try TemporaryLedger()
    func verify(_ end: String, mode: Recording.Mode?) async throws {
      let ledger = try await Self.ledger()
      let promise = try await ledger.createPromise(of: String.self)
      try await promise.fulfill(String(repeating: "a", count: count) + end)
      try await Recording(place.path, mode: mode).verify(ledger)
    }
    await #expect(throws: RecordingIssue.self) { try await verify("old", mode: .all) }
    try await verify("old", mode: nil)
    let issue = await #expect(throws: RecordingIssue.self) { try await verify("new", mode: nil) }
    let divergence = try #require(issue?.divergence)
    #expect(divergence.kind == .otherEvent)
    #expect(divergence.expected.contains(", \(part) of ") && divergence.expected.contains("old"))
    #expect(divergence.actual.contains(", \(part) of ") && divergence.actual.contains("new"))
    #expect(divergence.expected.utf8.count < 1_000)
  }

  @Test func otherTextOfTheSameEventsIsADifference() async throws {
    let history = try await History(of: ReplayedFile(Self.bytes()).rebuilt.ledger)
    let divergence = history.divergence(of: history)
    #expect(divergence.position == nil && divergence.actual.contains("the same events"))
  }

  @Test(arguments: [RecordingDivergence.Kind.otherEvent, .digestDiffers])
  func theAdviceFitsTheDifference(kind: RecordingDivergence.Kind) {
    let divergence = RecordingDivergence(kind, expected: "this", actual: "that")
    let words = "\(RecordingIssue(.differs, "file", divergence))"
    #expect(
      words.contains("If it should, run the test with RECORD=failed") == (kind == .otherEvent))
    #expect(words.contains("as it would those of existing ledgers") == (kind != .otherEvent))
  }

  @Test func anInvalidConfigurationIsNoDivergence() async throws {
    let file = try await ArchiveFile(Self.bytes())
    var replayer = Replayer(try Self.handlers())
    replayer.configuration.pollInterval = .zero
    let error = await #expect(throws: LedgerError.self) { try await replayer.replay([file.path]) }
    #expect(error?.code == .invalidArgument)
    withExtendedLifetime(file) {}
  }

  @Test func aRunningProgramRecordsItself() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    for number in 0..<50 { _ = try await ledger.createPromise(of: Int.self, label: "\(number)") }
    let path = FileSystem.parent(of: temporary.path) + "/recording.jsonl"
    let summary = try await ledger.record(to: path)
    #expect(summary.eventCount == 52)
    let report = try await Replayer().replay([path])
    #expect(report.divergences == [])
    let error = await #expect(throws: LedgerError.self) { try await ledger.record(to: "/none/x") }
    #expect(error?.code == .notFound)
    await ledger.close()
  }
}
