import PromiseLedger
import PromiseLedgerTesting

/// A ledger with work in every state, the same in every run except for the process id and the host. Its session
/// is open until ``close()``.
struct WorkSampleLedger {
  private let temporary: TemporaryLedger
  private let ledger: Ledger
  private let clock = ManualLedgerClock()

  var path: String { temporary.path }

  /// The promises, by their numbers.
  static func id(_ number: UInt64) -> PromiseID {
    PromiseID(entityID: EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0A00 | number))
  }

  /// A time in the year 2100.
  static let late = Timestamp(nanosecondsSinceEpoch: 4_102_444_800_000_000_000)

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    configuration.instance = "shop"
    ledger = try await temporary.open(as: .app, configuration: configuration)
    try await create(1, label: "Upload 7")
    try await create(2, work: "publish", .after(Self.id(1), .fulfilled), label: "Publish 7")
    try await create(3, work: "mail", .at(Self.late))
    try await create(4, work: "mail")
    try await create(5, work: "mail")
    try await create(6, work: "mail", options: WorkOptions(priority: 3))
    let lane = WorkOptions(lane: try WorkLane("account/42"))
    try await create(7, work: "a\u{1B}[2J\nb", options: lane)
    try await create(8, work: "mail", options: lane)
    clock.advance(by: .seconds(1))
    let started = try await ledger.engine.submit(
      ClaimWork([Self.id(4), Self.id(5), Self.id(6)], runnableKinds: ["mail"]))
    precondition(started.count == 3)
    clock.advance(by: .seconds(1))
    try await fail(
      5, WorkRetryPolicy(firstDelay: .seconds(3_000_000_000), longestDelay: .seconds(4_000_000_000))
    )
    try await fail(6, WorkRetryPolicy(failureLimit: 1, givingUp: .park))
  }

  private func create(
    _ number: UInt64, work kind: String? = nil, _ trigger: WorkTrigger = .now,
    options: WorkOptions = WorkOptions(), label: String? = nil
  ) async throws {
    let work = kind.map { PromiseCreated.Work(kind: $0, trigger: trigger, options: options) }
    let creation = PromiseCreated(
      typeTag: work == nil ? "string" : "int", label: label,
      lifetime: work == nil ? .untilConsumed : .untilSettled,
      source: work.map { .work($0) } ?? .outside)
    _ = try await ledger.engine.submit(
      CreatePromise(id: Self.id(number), creation: creation, isStrict: true))
  }

  private func fail(_ number: UInt64, _ policy: WorkRetryPolicy) async throws {
    let error = StoredError(domain: "mail", code: 550, message: "no \u{1B}[31mmailbox")
    _ = try await ledger.engine.submit(
      FinishWork(
        id: Self.id(number), attempt: 1, result: .failed(error, isFinal: false), policy: policy))
  }

  /// The time of the next attempt of work that failed.
  func retryTime() async throws -> Timestamp? {
    guard case .waiting(.at(let time))? = try await record(5)?.work?.state else { return nil }
    return time
  }

  func record(_ number: UInt64) async throws -> PromiseRecord? {
    try await ledger.record(of: Self.id(number))
  }

  /// Ends the session.
  func close() async { await ledger.close() }

  /// Makes a command in the session.
  func submit<C: Command>(_ command: C) async throws -> C.Answer {
    try await ledger.engine.submit(command)
  }
}
