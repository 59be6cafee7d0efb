import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct SendReceipt: LedgerWork {
  static let kind = "send-receipt"
  var order: String

  func run(in call: WorkCall<Mailer>) async throws {
    try await call.context.sendReceipt(of: order, key: call.idempotencyKey)
  }
}

struct PublishImage: LedgerWork {
  static let kind = "publish-image"
  var album: String
  var value: String  // the address of the uploaded image

  func run(in call: WorkCall<Gallery>) async throws {
    try await call.context.publish(value, in: album)
  }
}

struct Mailer: Sendable {
  let notes: Notes

  func sendReceipt(of order: String, key: String) async throws { notes.add("receipt \(order)") }
}

struct Gallery: Sendable {
  let notes: Notes

  func publish(_ image: String, in album: String) async throws { notes.add("\(image) in \(album)") }
}

/// The code of the article about work, run word for word.
@Suite(.timeLimit(.minutes(5)))
struct WorkArticleTests {
  private let temporary: TemporaryLedger
  private let notes = Notes()
  private var path: String { temporary.path }
  private var mailer: Mailer { Mailer(notes: notes) }

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open() async throws -> Ledger {
    let (mailer, gallery) = (mailer, Gallery(notes: notes))
    return try await temporary.open { registry in
      try registry.register(SendReceipt.self) { mailer }
      try registry.register(PublishImage.self) { gallery }
    }
  }

  @Test func aReceiptIsSent() async throws {
    let mailer = mailer
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(SendReceipt.self) { mailer }
    configuration.runner = .automatic
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)

    try await ledger.start(SendReceipt(order: "42"), key: PromiseKey("receipt/42"))

    let promise = try await ledger.start(SendReceipt(order: "42"), key: PromiseKey("receipt/42"))
    try await promise.consume()
    #expect(notes.lines == ["receipt 42"])
    await ledger.close()
  }

  @Test func anUploadIsPublished() async throws {
    let ledger = try await open()
    let uploaded = try await ledger.findOrCreatePromise(
      key: PromiseKey("upload/7"), of: String.self)
    let published = try await uploaded.then(PublishImage.self, ["album": "Iceland"])
    try await uploaded.fulfill("geyser.jpg")
    try await drain(ledger)
    try await published.consume()
    #expect(notes.lines == ["geyser.jpg in Iceland"])
    await ledger.close()
  }

  private func drain(_ ledger: Ledger) async throws {
    try await LedgerRunner(ledger).drain(until: ledger.now + .seconds(20))
  }

  @Test func aRunnerHasLimits() async throws {
    let ledger = try await open()
    let runner = Task {
      try await LedgerRunner(ledger, limits: .init(total: 16, kinds: ["send-receipt": 2])).run()
    }
    let lane = WorkOptions(lane: try WorkLane("account/42"))
    try await ledger.start(SendReceipt(order: "42"), options: lane)
    try await ledger.start(SendReceipt(order: "43"), options: lane).consume()
    #expect(notes.lines == ["receipt 42", "receipt 43"])
    runner.cancel()
    try await runner.value
    await ledger.close()
  }
}
