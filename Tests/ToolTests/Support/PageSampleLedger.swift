import PromiseLedger
import PromiseLedgerTesting

/// A ledger for pages: many promises, work that went through much, and texts that try to get out.
///
/// `look-at-report` in the folder `Browser` looks for what is in it.
struct PageSampleLedger {
  static let script = "</script><script>window.stolen=1</script>"
  static let image = "<img src=x onerror=window.stolen=1>"

  private let ledger: WorkHistoryLedger

  var path: String { ledger.path }

  init() async throws {
    ledger = try await WorkHistoryLedger()
    try addSessions()
    try addWork()
    try ledger.append(
      (0..<1_000).map { number in
        NewEvent(
          kind: .promiseCreated, version: 1, time: WorkHistoryLedger.time(9),
          subject: WorkHistoryLedger.id((number + 1) << 16),
          payload: PromiseCreated(typeTag: "string", label: "guest \(number)").encoded)
      })
    try addHostileTexts()
  }

  private func addSessions() throws {
    for number in [0xA1, 0xA2] as [UInt64] {
      let opened = SessionOpened(
        role: .app, processID: Int32(number), instance: "shop \(number)", host: "till",
        libraryVersion: "1")
      try ledger.add(opened, on: number, at: 0, by: number)
    }
  }

  private func addWork() throws {
    let day = 86_400.0
    try ledger.create(1, "fulfil-order", label: "Order 7")
    try ledger.add(WorkStarted(attempt: 1), at: 0.5)
    try ledger.step(StepIdentity("charge"), 1, from: 0.5, to: 1.5, "\"receipt 9\"")
    try ledger.create(2, "pack", parent: 1, label: "Packing", at: 2)
    let wait = WorkCondition(time: nil, promises: [WorkHistoryLedger.promise(2)])
    try ledger.add(WorkReleased(attempt: 1, reason: .waiting, condition: wait), at: 2.5)
    try ledger.add(WorkStarted(attempt: 1), on: 2, at: 3, by: 0xA2)
    try ledger.settle(2, byAttempt: 1, at: 4, by: 0xA2)
    try ledger.add(WorkStarted(attempt: 2), at: 3 * day, by: 0xA2)
    try ledger.add(WorkReleased(attempt: 2, reason: .died), at: 3 * day + 9)
    try ledger.add(WorkStarted(attempt: 3), at: 3 * day + 10)
    try ledger.step(StepIdentity("ship"), 3, from: 3 * day + 10, to: 3 * day + 11, "1", failures: 2)
    let error = StoredError(domain: "truck", code: 3, message: "no driver")
    try ledger.settle(1, byAttempt: 3, .rejected, error.encoded, at: 3 * day + 12)
  }

  private func addHostileTexts() throws {
    let time = 4 * 86_400.0
    let hostile = "hostile \(Self.script) \u{202E}drawkcab\u{2028}"
    try ledger.createPromise(3, label: hostile, at: time)
    let error = StoredError(domain: "\(Self.image)", code: 1, message: "\u{1B}[31m \(Self.image)")
    try ledger.settle(3, .rejected, error.encoded, at: time)
    try ledger.createPromise(4, label: "long", at: time)
    try ledger.settle(4, .fulfilled, Array(String(repeating: "<x>", count: 600).utf8), at: time)
    try ledger.createPromise(5, label: "bytes", at: time)
    try ledger.settle(5, .fulfilled, [0, 0xFF], at: time)
  }
}
