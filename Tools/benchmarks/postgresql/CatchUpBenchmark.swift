import LedgerMeasuring
import LedgerModel
import LedgerRuntime
import PromiseLedgerPostgreSQL

/// Events that other sessions wrote, read and applied.
enum CatchUpBenchmark {
  private static let commitCount = 300
  private static let promisesPerCommit = 1_000

  static func run(_ report: inout Report, on server: BenchmarkServer) throws {
    let place = try server.place()
    let store = try place.openStore(
      LedgerMetadata(
        ledgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), createdAt: time(0)))
    try fill(store)
    var rates: [Double] = []
    for _ in 0..<5 {
      let replica = Replica()
      let duration = try LedgerMeasuring.time {
        _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
          try replica.apply(frame)
        }
      }
      rates.append(Double(replica.position.rawValue) / duration.inMicroseconds * 1e6)
    }
    store.close()
    report.add("catch-up, events a second", rates.median, .atLeast(300_000))
  }

  private static func time(_ number: Int) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: Int64(number) * 1_000_000)
  }

  /// Writes promises that are created and resolved.
  private static func fill(_ store: any EventStore) throws {
    let replica = Replica()
    let session = SessionID(entityID: EntityID(high: 2, low: 2))
    let ids = RandomIDGenerator()
    let opened = SessionOpened(
      role: .app, processID: 1, instance: "default", host: "host", libraryVersion: "0")
    for number in 0..<commitCount {
      let context = DecisionContext(session: session, role: .app, now: time(number))
      var decision = replica.withState { Decision(over: $0, context: context) }
      if number == 0 {
        try decision.run(
          OpenSession(opened, newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1))))
      }
      for index in 0..<promisesPerCommit {
        let id = PromiseID(entityID: ids.makeID(at: context.now))
        _ = try decision.run(
          CreatePromise(
            id: id, creation: PromiseCreated(typeTag: "string", label: "promise \(index)"),
            isStrict: true))
        _ = try decision.run(
          ResolvePromise(
            id: id, outcome: .fulfilled, content: Array("\"a value of some length\"".utf8),
            typeTag: "string", idempotencyKey: nil, isStrict: true))
      }
      let base = try store.beginCommit(Patience(.seconds(5))).head
      defer { store.endCommit() }
      _ = try store.append(
        decision.batch, CommitID(session: session, number: UInt64(number) + 1), after: base)
      replica.merge(decision.staged)
    }
  }
}
