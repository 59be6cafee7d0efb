import Foundation
import PromiseLedger
import PromiseLedgerTesting

/// A ledger in which nothing goes on, the same in every run except for the process id and the host.
///
/// Session 2 is that of a shop whose process is gone, and which ran a call and work. Session 4 is frozen, and 6
/// has ended. None is alive, because a living one would notice that 2 is dead.
struct StuckLedger {
  private let temporary: TemporaryLedger
  /// The ledger of which this is a copy.
  private let original: TemporaryLedger
  private let chat: Ledger
  /// A promise that nothing settles.
  let order: PromiseID

  var path: String { temporary.path }

  /// The promises, by their numbers: 1 is work that runs, 2 work that failed, 3 rejected.
  static func id(_ number: UInt64) -> PromiseID {
    PromiseID(
      entityID: EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0C00 | number << 4))
  }

  var host: String? {
    get async throws {
      try BlockingInspector(at: path).events().lazy
        .compactMap { try? $0.decode(as: SessionOpened.self) }.first?.host
    }
  }

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    configuration.automaticCompaction = nil
    configuration.instance = "shop"
    original = try TemporaryLedger()
    let shop = try await original.open(as: .app, configuration: configuration)
    order = try await shop.createPromise(key: PromiseKey("order-7"), of: Int.self).id
    try await Self.callHandlers(shop.engine, naming: order)
    try await Self.startWork(shop.engine, naming: order)
    _ = try await shop.engine.submit(
      CreatePromise(id: Self.id(3), creation: PromiseCreated(typeTag: "int"), isStrict: true))
    try await shop.resolve(
      Self.id(3), with: .rejected(StoredError(domain: "bank", code: 51, message: "no money")))
    configuration.instance = "chat"
    chat = try await original.open(as: .app, configuration: configuration)
    configuration.instance = "two words"
    await (try original.open(as: .app, configuration: configuration)).close()
    try await chat.freeze()
    try Self.copy(original.path, to: temporary.path, withSession: chat.session)
    await shop.close()
  }

  /// Copies a ledger, and of its sessions only one: the others count as killed.
  private static func copy(
    _ original: String, to path: String, withSession session: SessionID
  ) throws {
    let files = FileManager.default
    for name in ["generation-000001", "sessions"] {
      try files.createDirectory(
        atPath: "\(path)/\(name)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    for name in ["CURRENT", "generation-000001/data.mdb", "sessions/\(session).lock"] {
      try files.copyItem(atPath: "\(original)/\(name)", toPath: "\(path)/\(name)")
    }
  }

  private static func callHandlers(_ engine: LedgerEngine, naming promise: PromiseID) async throws {
    for (key, number) in [("iq-1", 1), ("iq-2", 2)] as [(String, UInt64)] {
      let handler = try HandlerKey(key).handlerID
      let call = CallID(
        entityID: EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0C00 | number))
      _ = try await engine.submit(
        CreateHandler(
          id: handler, HandlerDescription(kind: "avatar", key: key),
          arguments: try ArgumentSet(
            checking: StoredArguments([]),
            references: HandlerReferences(promises: [promise], handlers: []))))
      _ = try await engine.submit(
        StartCall(
          id: handler, call: call, arguments: .none, expectedBinding: nil,
          runnableKinds: ["avatar"]))
      guard number == 2 else { continue }
      let error = StoredError(domain: "net", code: 7, message: "off\u{1B}line")
      _ = try await engine.submit(
        FinishCall(id: handler, call: call, attempt: 1, result: .failed(error)))
    }
  }

  private static func startWork(_ engine: LedgerEngine, naming promise: PromiseID) async throws {
    for number in [1, 2] as [UInt64] {
      let references = HandlerReferences(promises: number == 1 ? [promise] : [], handlers: [])
      let work = PromiseCreated.Work(kind: "mail", trigger: .now, references: references)
      _ = try await engine.submit(
        CreatePromise(
          id: id(number),
          creation: PromiseCreated(typeTag: "int", lifetime: .untilSettled, source: .work(work)),
          isStrict: true))
    }
    _ = try await engine.submit(ClaimWork([id(1), id(2)], runnableKinds: ["mail"]))
    let error = StoredError(domain: "mail", code: 550, message: "no \u{1B}mailbox")
    _ = try await engine.submit(
      FinishWork(
        id: id(2), attempt: 1, result: .failed(error, isFinal: true), policy: WorkRetryPolicy()))
  }

  /// The record of a promise.
  func record(_ id: PromiseID) throws -> PromiseRecord? {
    try BlockingInspector(at: path).replay().record(of: id)
  }

  func close() async {
    await chat.close()
  }
}
