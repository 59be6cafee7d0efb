import Foundation
import PromiseLedgerTesting

@testable import PromiseLedger

/// A ledger in which something is stuck, and the session that left it so.
final class OnCallLedger {
  /// What became of the session that wrote to the ledger.
  enum Writer: Sendable {
    /// Its process is gone, without a word.
    case killed
    /// It let go of the ledger, and another writer kept it from recording that.
    case frozenUnrecorded
    /// It has the ledger open.
    case alive
    /// It was closed.
    case closed
  }

  private let temporary: TemporaryLedger
  /// The ledger of which this is a copy, if the writer was killed or froze without a record.
  private let original: TemporaryLedger?
  private let ledger: Ledger
  /// The lock of the session that froze without a record.
  private let lock: SessionLock?

  var path: String { temporary.path }

  /// The promises, handlers and calls, by their numbers.
  static func id(_ number: UInt64) -> EntityID {
    EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0E00 | number << 4)
  }

  static func promise(_ number: UInt64) -> PromiseID { PromiseID(entityID: id(number)) }

  /// A time that every clock has passed.
  static let longAgo = Timestamp(nanosecondsSinceEpoch: 1_767_312_000_000_000_000)

  /// - Parameter body: Writes to the ledger; it is 2026-01-01 then.
  init(_ writer: Writer, _ body: (OnCallWriter) async throws -> Void) async throws {
    temporary = try TemporaryLedger()
    let isCopied = writer == .killed || writer == .frozenUnrecorded
    let original = isCopied ? try TemporaryLedger() : nil
    self.original = original
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    configuration.automaticCompaction = nil
    configuration.instance = "shop"
    ledger = try await (original ?? temporary).open(as: .app, configuration: configuration)
    try await body(OnCallWriter(ledger: ledger))
    if let original { try Self.copy(original.path, to: temporary.path) }
    if writer != .alive { await ledger.close() }
    guard writer == .frozenUnrecorded else {
      lock = nil
      return
    }
    lock = try SessionLock(LedgerDirectory(temporary.path), ledger.session)
    try lock?.freeze()
  }

  /// Copies a ledger without its sessions, which then count as killed.
  private static func copy(_ original: String, to path: String) throws {
    let files = FileManager.default
    for name in ["generation-000001", "sessions"] {
      try files.createDirectory(
        atPath: "\(path)/\(name)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    for name in ["CURRENT", "generation-000001/data.mdb"] {
      try files.copyItem(atPath: "\(original)/\(name)", toPath: "\(path)/\(name)")
    }
  }

  func close() async { await ledger.close() }
}

/// What the session of an ``OnCallLedger`` writes.
struct OnCallWriter {
  let ledger: Ledger

  func submit<C: Command>(_ command: C) async throws { _ = try await ledger.engine.submit(command) }

  func promise(
    _ number: UInt64, key: String? = nil, deadline: Timestamp? = nil, tags: [String] = []
  ) async throws {
    let creation = PromiseCreated(typeTag: "int", label: key, tags: tags, deadline: deadline)
    try await submit(
      CreatePromise(id: OnCallLedger.promise(number), creation: creation, isStrict: true))
  }

  func joint(
    _ number: UInt64, _ rule: PromiseCreated.Joint.Rule, of inputs: [UInt64]
  ) async throws {
    let joint = PromiseCreated.Joint(rule, of: inputs.map(OnCallLedger.promise))
    try await submit(
      CreatePromise(
        id: OnCallLedger.promise(number),
        creation: PromiseCreated(
          typeTag: "[int]", lifetime: .untilSettled, source: .joint(joint)), isStrict: true))
  }

  func work(
    _ number: UInt64, _ kind: String = "mail", _ trigger: WorkTrigger = .now,
    options: WorkOptions = WorkOptions()
  ) async throws {
    let work = PromiseCreated.Work(kind: kind, trigger: trigger, options: options)
    try await submit(
      CreatePromise(
        id: OnCallLedger.promise(number),
        creation: PromiseCreated(
          typeTag: "int", lifetime: .untilSettled, source: .work(work)), isStrict: true))
  }

  func claim(_ numbers: UInt64..., kind: String = "mail") async throws {
    try await submit(ClaimWork(numbers.map(OnCallLedger.promise), runnableKinds: [kind]))
  }

  func fail(_ number: UInt64, attempt: UInt32 = 1, _ policy: WorkRetryPolicy) async throws {
    let error = StoredError(domain: "smtp", code: 550, message: "no mailbox")
    try await submit(
      FinishWork(
        id: OnCallLedger.promise(number), attempt: attempt,
        result: .failed(error, isFinal: false), policy: policy))
  }

  /// Work whose only attempt failed, and which waits for an operator.
  func parkedWork(_ number: UInt64) async throws {
    try await work(number)
    try await claim(number)
    try await fail(number, WorkRetryPolicy(failureLimit: 1, givingUp: .park))
  }

  func handler(
    _ number: UInt64, _ repetition: HandlerRepetition = .oneShot
  ) async throws {
    try await submit(
      CreateHandler(
        id: HandlerID(entityID: OnCallLedger.id(number)),
        HandlerDescription(kind: "avatar", repetition: repetition), arguments: .none))
  }

  func call(_ number: UInt64) async throws {
    try await submit(
      StartCall(
        id: HandlerID(entityID: OnCallLedger.id(number)),
        call: CallID(entityID: OnCallLedger.id(number + 1)), arguments: .none,
        expectedBinding: nil, runnableKinds: ["avatar"]))
  }

  func failCall(_ number: UInt64) async throws {
    let error = StoredError(domain: "net", code: 7, message: "offline")
    try await submit(
      FinishCall(
        id: HandlerID(entityID: OnCallLedger.id(number)),
        call: CallID(entityID: OnCallLedger.id(number + 1)), attempt: 1, result: .failed(error)))
  }
}
