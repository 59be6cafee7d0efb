import Foundation
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// A directory with a ledger in which something of every kind is left, and its archive and recording.
///
/// Its bytes are the same in every run: ids, times, processes and hosts are given.
final class TranscriptLedger {
  private let temporary: TemporaryDirectory
  private let store: LMDBEventStore
  private let replica = Replica()
  private var commitCount: UInt64 = 0

  var directory: String { temporary.path }

  private static let shop = SessionID(entityID: id(0xA1))
  private static let chat = SessionID(entityID: id(0xA2))

  /// Everything but the ledger, by its number.
  private static func id(_ number: UInt64) -> EntityID {
    EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0B00 | number)
  }

  /// A promise with a key has the id that follows from it.
  private static func promise(_ number: UInt64, key: String? = nil) throws -> PromiseID {
    try key.map { try PromiseKey($0).promiseID } ?? PromiseID(entityID: id(number))
  }

  private static let order = "order/7"

  init() throws {
    temporary = try TemporaryDirectory(in: Scratch.path)
    let ledgerID = LedgerID(entityID: Self.id(0xFF))
    store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(temporary.path + "/ledger"), options: StoreOptions(sizeLimit: 1 << 30),
      newLedgerID: ledgerID, now: Self.time(0))
    try open(Self.shop, "shop", 161)
    try open(Self.chat, "chat\u{202E}", 162)
    try addPromises()
    try addWork()
    try addHandlers()
    try run(CloseSession(id: Self.chat, reason: .closed), by: Self.chat)
    store.close()
  }

  private static func time(_ seconds: UInt64) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: 1_767_225_600_000_000_000 + Int64(seconds) * 1_000_000_000)
  }

  private func open(_ session: SessionID, _ instance: String, _ process: Int32) throws {
    let opened = SessionOpened(
      role: .app, processID: process, instance: instance, host: "till", libraryVersion: "1")
    try run(OpenSession(opened, newLedgerID: LedgerID(entityID: Self.id(0xFF))), by: session)
  }

  private func addPromises() throws {
    try create(
      PromiseCreated(
        typeTag: "int", key: Self.order, label: "Order \"7\" & <b>", tags: ["room"]), 1)
    try create(PromiseCreated(typeTag: "string", label: "\u{1B}[2Jcleared", tags: ["room"]), 2)
    let error = StoredError(domain: "bank", code: 51, message: "no\nmoney \u{202E}")
    try settle(2, .rejected, error.encoded)
    try create(PromiseCreated(typeTag: "int", label: "eaten"), 3)
    try settle(3, .fulfilled, Array("7".utf8))
    try run(ConsumePromise(id: try Self.promise(3), delivery: .recordedBefore))
  }

  private func addWork() throws {
    try create(kind: "mail", .now, 4)
    try create(kind: "mail", .now, 5)
    try fail(5, isFinal: false)
    try create(kind: "mail", .now, 10)
    try fail(10, isFinal: true)
    let order = try Self.promise(1, key: Self.order)
    try create(kind: "ship", .after(order, .fulfilled), 6)
    let joint = PromiseCreated.Joint(.all, of: [order, try Self.promise(3)])
    try create(
      PromiseCreated(typeTag: "[int]", lifetime: .untilSettled, source: .joint(joint)), 7)
  }

  private func fail(_ number: UInt64, isFinal: Bool) throws {
    let id = try Self.promise(number)
    try run(ClaimWork([id], runnableKinds: ["mail"]))
    let error = StoredError(domain: "smtp", code: 550, message: "no mailbox")
    try run(
      FinishWork(
        id: id, attempt: 1, result: .failed(error, isFinal: isFinal),
        policy: WorkRetryPolicy(failureLimit: 1, givingUp: isFinal ? .reject : .park)))
  }

  private func addHandlers() throws {
    for number in [8, 9] as [UInt64] {
      try run(
        CreateHandler(
          id: HandlerID(entityID: Self.id(number)),
          HandlerDescription(kind: "avatar", repetition: .oneShot), arguments: .none))
    }
    try run(
      StartCall(
        id: HandlerID(entityID: Self.id(8)), call: CallID(entityID: Self.id(0xC8)),
        arguments: .none, expectedBinding: nil, runnableKinds: ["avatar"]))
  }

  private func create(kind: String, _ trigger: WorkTrigger, _ number: UInt64) throws {
    let work = PromiseCreated.Work(kind: kind, trigger: trigger)
    try create(
      PromiseCreated(typeTag: "int", lifetime: .untilSettled, source: .work(work)), number)
  }

  private func create(_ creation: PromiseCreated, _ number: UInt64) throws {
    let id = try Self.promise(number, key: creation.key)
    try run(CreatePromise(id: id, creation: creation, isStrict: true))
  }

  private func settle(
    _ number: UInt64, _ outcome: PromiseOutcomeKind, _ content: [UInt8]
  ) throws {
    try run(
      ResolvePromise(
        id: try Self.promise(number), outcome: outcome, content: content, typeTag: nil,
        idempotencyKey: nil, isStrict: true))
  }

  /// Commits a command, a second after the one before.
  private func run<C: Command>(_ command: C, by session: SessionID = shop) throws {
    commitCount += 1
    let context = DecisionContext(session: session, role: .app, now: Self.time(commitCount))
    var staged: StagedLayer?
    _ = try store.commit(
      CommitID(session: session, number: commitCount), after: replica.position,
      patience: Patience(.seconds(5)),
      catchUp: { (frame) throws(LedgerError) in try replica.apply(frame) },
      decide: { (_, _) throws(LedgerError) in
        var decision = Decision(over: replica.copy(readingFrom: store), context: context)
        _ = try decision.run(command)
        staged = decision.staged
        return decision.batch
      })
    if let staged { replica.merge(staged) }
  }
}
