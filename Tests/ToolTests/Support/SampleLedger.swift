import Foundation
import PromiseLedger
import PromiseLedgerTesting

/// A ledger with every kind of event that a single session writes, the same in every run but for the
/// process id and the host.
struct SampleLedger {
  private let temporary: TemporaryLedger

  var path: String { temporary.path }
  let processID = ProcessInfo.processInfo.processIdentifier
  let host: String

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    let clock = ManualLedgerClock()
    configuration.clock = clock
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    configuration.instance = "chat"
    let app = try await temporary.open(as: .app, configuration: configuration)
    let avatar = try await app.createPromise(
      key: PromiseKey("avatar/room@example.org"), of: Void.self, label: "Remove the \"avatar\"",
      tags: ["room", "avatar"]
    )
    clock.advance(by: .milliseconds(1_500))
    // An escape sequence, a line feed and a character that turns the direction of writing.
    try await avatar.reject(
      StoredError(domain: "chat", code: 403, message: "\u{1B}[31mno\nentry\u{202E}"))
    try await avatar.consume { _ in }
    let bytes = try await app.createPromise(of: [UInt8].self)
    try await bytes.fulfill([0, 0xFF])
    let large = try await app.createPromise(of: String.self, deadline: clock.now() + .seconds(60))
    try await large.fulfill(
      String(repeating: "x", count: 5_000), idempotencyKey: IdempotencyKey("once"))
    let name = try await app.createPromise(of: [String: String].self)
    try await name.fulfill(["name": "Zoë"])
    let dropped = try await app.createPromise(of: Int.self)
    try await dropped.cancel(reason: "the user left")
    try await dropped.abandon(reason: "not needed")
    try await app.freeze()
    try await app.unfreeze()
    await app.close()
    let opened = try BlockingInspector(at: temporary.path).events().compactMap {
      try $0.decode(as: SessionOpened.self)
    }
    host = opened.first?.host ?? ""
  }

  /// Opens the ledger once more.
  func open() async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator(seed: 8)
    return try await temporary.open(as: .app, configuration: configuration)
  }

  /// Appends an event as no build of this version would write it.
  func append(
    _ kind: EventKind, payload: [UInt8], version: UInt16 = 1, cause: UInt64 = 0
  ) async throws {
    let writer = try await open()
    let now = ManualLedgerClock().now()
    let id = SequentialIDGenerator(seed: 9).makeID(at: now)
    var batch = EventBatch()
    try batch.append(
      NewEvent(
        kind: kind, version: version, time: now, subject: id, cause: Position(rawValue: cause),
        payload: payload))
    let event = batch
    _ = try await writer.engine.openStore().commit(
      CommitID(session: SessionID(entityID: id), number: 1), after: .start,
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { _, _ in event })
    await writer.close()
  }

  /// Changes a stored text by one bit.
  func damage(_ text: String) throws {
    let file = URL(fileURLWithPath: path + "/generation-000001/data.mdb")
    var bytes = try Data(contentsOf: file)
    var start = bytes.startIndex
    while let range = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
      bytes[range.lowerBound] ^= 1
      start = range.upperBound
    }
    try bytes.write(to: file)
  }
}
