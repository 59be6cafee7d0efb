import PromiseLedger
import PromiseLedgerSwiftTesting
import PromiseLedgerTestSupport
import Synchronization
import Testing

extension WorkStoriesTests {
  fileprivate struct PublishImage: LedgerWork {
    static let kind = "publish-image"
    let image: String
    /// The reply of the server, which the upload leads to.
    let value: Int

    func run(in call: WorkCall<Office>) async throws -> String {
      try await call.step("publish") { _ in call.context.notes.add("publish \(image)") }
      return "\(image) \(value)"
    }
  }

  fileprivate struct Thumbnail: LedgerWork {
    static let kind = "thumbnail"
    let image: Int

    func run(in call: WorkCall<Crowd>) async throws -> Int {
      try await call.step("draw") { _ in await call.context.meet() }
      return image
    }
  }

  fileprivate struct AlbumReady: LedgerWork {
    static let kind = "album-ready"
    let value: [Int]

    func run(in call: WorkCall<Office>) async throws -> Int {
      try await call.step("tell") { _ in call.context.notes.add("\(value.count) are ready") }
      return value.count
    }
  }
}

/// Lets a number of tasks go on together, and counts how many are there at once.
private final class Crowd: Sendable {
  private struct Contents {
    var now = 0
    var most = 0
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  private let size: Int
  private let contents = Mutex(Contents())
  var most: Int { contents.withLock { $0.most } }

  init(of size: Int) { self.size = size }

  /// Waits until the crowd is complete, or the task is cancelled.
  func meet() async {
    let (all, continuation) = AsyncStream.makeStream(of: Never.self)
    let complete = contents.withLock { contents in
      contents.now += 1
      contents.most = max(contents.most, contents.now)
      contents.waiting.append(continuation)
      guard contents.waiting.count == size else { return [] as [AsyncStream<Never>.Continuation] }
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for waiting in complete { waiting.finish() }
    for await _ in all {}
    contents.withLock { $0.now -= 1 }
  }
}

/// Five stories of durable work, each with the processes that it needs, and each from every prefix.
@Suite(.ledger, .timeLimit(.minutes(5)))
struct WorkStoriesTests {
  private let office = Office(notes: Notes())
  private let notes = Notes()

  private func handlers(
    _ shop: Shop? = nil, _ crowd: Crowd = Crowd(of: 1)
  ) throws -> HandlerRegistry {
    let (office, shop) = (office, shop ?? Shop(notes: notes))
    var handlers = HandlerRegistry()
    try handlers.register(FulfilOrder.self) { shop }
    try handlers.register(ApproveExpense.self) { office }
    try handlers.register(NightlyReport.self) { office }
    try handlers.register(PublishImage.self) { office }
    try handlers.register(Thumbnail.self) { crowd }
    try handlers.register(AlbumReady.self) { office }
    return handlers
  }

  /// An order whose process charges it, and dies before the parcel leaves.
  private func orderLeftBehind(_ tester: LedgerTester) async throws -> DurablePromise<Charge> {
    let dying = Shop(notes: notes) { [weak tester] in
      await tester?.processes[0].kill()
      throw CancellationError()
    }
    let first = try await tester.worker(handlers(dying))
    let charge = try await first.ledger.start(FulfilOrder(order: Order(number: 7)))
    await expectError(.sessionEnded) { try await tester.run(first, until: charge) }
    return charge
  }

  @Test func anOrderGoesOnInAnotherProcess() async throws {
    let tester = try LedgerTester.current
    let charge = try await orderLeftBehind(tester)
    #expect(notes.lines == ["charge 7"])
    let other = try await tester.worker(handlers())
    try await tester.when { try await tester.run(other, until: charge) }
      .then(
        .workStarted(charge, attempt: 2), .workStepFinished(charge, "ship"),
        .workStepFinished(charge, "email"),
        .promiseResolved(charge, .fulfilled(Charge(cents: 1_999))))
    #expect(notes.lines == ["charge 7", "ship 7", "email 7"])
  }

  @Test func anotherProcessRefundsWhatCannotBeShipped() async throws {
    let tester = try LedgerTester.current
    let charge = try await orderLeftBehind(tester)
    let other = try await tester.worker(handlers(Shop(notes: notes, isSoldOut: true)))
    try await tester.when { try await tester.run(other, until: charge) }
      .then(
        .workStarted(charge, attempt: 2), .workStepFinished(charge, "ship", .failure),
        .workStepFinished(charge, "refund"),
        .promiseRejected(charge, ScriptedError(text: "sold out")))
    #expect(notes.lines == ["charge 7", "refund 1999"])
  }

  @Test func anUploadOfASuspendedAppIsPublished() async throws {
    let tester = try LedgerTester.current
    let app = try await tester.app()
    let key = try PromiseKey("upload/7")
    let uploaded = try await app.ledger.findOrCreatePromise(key: key, of: Int.self)
    let published = try await uploaded.then(PublishImage.self, ["image": "7"])
    try await app.suspend()
    let woken = try await tester.appExtension(handlers())
    try await woken.promise(uploaded).fulfill(200)
    #expect(try await tester.run(woken, until: published) == .fulfilled("7 200"))
    try await woken.freeze()
    try await app.resume()
    #expect(try await published.outcome == .fulfilled("7 200"))
    #expect(office.notes.lines == ["publish 7"])
  }

  @Test func aReportComesEachNight() async throws {
    let tester = try LedgerTester.current
    let worker = try await tester.worker(handlers())
    try await NightlyReport.start(tester.clock.now(), in: worker.ledger)
    for _ in 0..<3 {
      try await tester.runDue(worker)
      try await worker.restart()
      try await tester.advance(by: .seconds(86_400))
    }
    #expect(office.notes.lines.map { $0.suffix(2) } == ["01", "02", "03"])
    #expect(try await worker.ledger.openWork().map(\.key) == ["nightly/2026-01-04"])
  }

  @Test func aThousandThumbnailsAreDrawnEightAtATime() async throws {
    let tester = try LedgerTester.current
    let crowd = Crowd(of: 8)
    let worker = try await tester.worker(handlers(nil, crowd))
    let thumbnails = try await worker.ledger.startAll(
      Thumbnail.self, (0..<1_000).map { ["image": $0] },
      options: WorkOptions(lane: try WorkLane("thumbnails", width: 8)))
    let album = try await worker.ledger.all(thumbnails)
    let ready = try await album.then(AlbumReady.self)
    #expect(try await tester.run(worker, until: ready) == .fulfilled(1_000))
    #expect(office.notes.lines == ["1000 are ready"])
    #expect(crowd.most == 8)
  }

  @Test(arguments: [1, 5, nil])
  func anApprovalIsRemindedOf(day: Int?) async throws {
    let tester = try LedgerTester.current
    let (app, worker) = (try await tester.app(), try await tester.worker(handlers()))
    let verdict = try await app.ledger.start(ApproveExpense(expense: Expense(cents: 999)))
    for today in 0..<8 {
      try await tester.runDue(worker)
      if today == day, let id = office.notes.lines.first.flatMap({ PromiseID($0) }) {
        try await app.ledger.promise(id: id, of: Verdict.self).fulfill(.approved)
      }
      try await tester.advance(by: .seconds(86_400))
    }
    try await tester.runDue(worker)
    #expect(try await verdict.outcome.kind == (day == nil ? .rejected : .fulfilled))
    #expect(office.notes.lines.contains("remind") == (day != 1))
  }

  // MARK: From every prefix

  @Test func anUploadIsRepeatable() async throws {
    var verifier = WorkVerifier(try handlers())
    verifier.signals = { $0.key == "upload/7" ? .fulfill(200, after: .seconds(60)) : nil }
    let verification = try await verifier.run { ledger in
      let key = try PromiseKey("upload/7")
      let uploaded = try await ledger.findOrCreatePromise(key: key, of: Int.self)
      return try await uploaded.then(PublishImage.self, ["image": "7"])
    }
    #expect(verification.outcome?.kind == .fulfilled)
    #expect(verification.prefixCount == 4)
  }

  @Test func aNightlyReportIsRepeatable() async throws {
    let verification = try await WorkVerifier(handlers()).run { ledger in
      let night = ManualLedgerClock().now()
      try await NightlyReport.start(night, in: ledger)
      let id = try PromiseKey("nightly/2026-01-01").promiseID
      return try ledger.promise(id: id, of: Void.self)
    }
    #expect(verification.outcome?.kind == .fulfilled)
    #expect(verification.stepCount == 2)
    // After the request, the claim, the report, the next night's request, and the step that made it.
    #expect(verification.prefixCount == 5)
  }

  @Test func thumbnailsAreRepeatable() async throws {
    let verification = try await WorkVerifier(handlers()).run { ledger in
      let thumbnails = try await ledger.startAll(
        Thumbnail.self, (0..<6).map { ["image": $0] },
        options: WorkOptions(lane: try WorkLane("thumbnails", width: 2)))
      return try await ledger.all(thumbnails).then(AlbumReady.self)
    }
    #expect(verification.outcome?.kind == .fulfilled)
    #expect(verification.stepCount == 7)
    #expect(verification.prefixCount > 7)
  }
}
