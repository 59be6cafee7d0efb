import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// The code of the article about recordings, run word for word.
@Suite(.timeLimit(.minutes(5)))
struct RecordingArticleTests {
  private let place: TemporaryLedger
  private var path: String { place.path }

  init() throws {
    place = try TemporaryLedger()
  }

  private func makeRecording() async throws {
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator()
    let ledger = try await MemoryLedger().open(configuration: configuration)

    let promise = try await ledger.createPromise(of: Int.self, label: "the number of roses")
    try await promise.fulfill(3)

    try await Recording(path).verify(ledger)
  }

  @Test func aTestIsRecorded() async throws {
    guard Recording.modeOfEnvironment == nil else { return }
    let issue = await #expect(throws: RecordingIssue.self) { try await makeRecording() }
    #expect(issue?.kind == .missing)
  }

  @Test func aRunningLedgerIsRecordedAndReplayed() async throws {
    let ledger = try await MemoryLedger().open()
    let summary = try await ledger.record(to: path)
    #expect(summary.eventCount > 0)
    let shop = Shop(notes: Notes())
    var handlers = HandlerRegistry()
    try handlers.register(FulfilOrder.self) { shop }

    var replayer = Replayer(handlers)
    replayer.expect("charge", of: FulfilOrder.self, toReturn: Charge.self)
    let report = try await replayer.replay([path])
    #expect(report.divergences == [])
    print(report.coverage)
    #expect(report.files.allSatisfy { $0.comparedDigestCount > 0 })

    let minimal = try await replayer.minimized(path)
    #expect(minimal == nil)
  }
}
