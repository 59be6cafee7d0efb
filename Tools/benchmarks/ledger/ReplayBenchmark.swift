import LedgerBytes
import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Reading a log of a million events: scanned with envelopes decoded, and replayed into state.
enum ReplayBenchmark {
  static func run(_ report: inout Report) throws {
    let ours = try TemporaryDirectory.onDisk()
    let theirs = try TemporaryDirectory.onDisk()
    let store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(ours.path + "/ledger"), options: StoreOptions(sizeLimit: 1 << 40),
      newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), now: SystemLedgerClock().now())
    let baseline = try Baseline(path: theirs.path)
    try fill(store, baseline)
    var scans: [Double] = []
    var replays: [Double] = []
    var perSecond: [Double] = []
    for _ in 0..<7 {
      var seen: UInt64 = 0
      let inC = try time { seen = try baseline.scan().events }
      var count = 0
      var sum: UInt64 = 0
      let scan = try time {
        _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
          try frame.forEachEvent { event in
            count += 1
            sum ^= UInt64(bitPattern: event.time.nanosecondsSinceEpoch)
            sum ^= event.subject.high ^ event.subject.low ^ event.cause.rawValue
          }
        }
      }
      let replica = Replica()
      let replay = try time {
        _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
          try replica.apply(frame)
        }
      }
      guard seen == UInt64(count) || sum == 1 else { throw BaselineError(status: -1) }
      scans.append(inC.inMicroseconds / scan.inMicroseconds)
      replays.append(inC.inMicroseconds / replay.inMicroseconds)
      perSecond.append(Double(count) / replay.inMicroseconds)
    }
    report.add("scan with checksum and envelopes, against C", scans.median, .atLeast(0.4))
    report.add(
      "replay into state, against the scan in C", replays.median, .atLeast(1.0 / 40),
      "\(rounded(perSecond.median)) M events/s")
    store.close()
  }

  /// 300,000 promises: created, resolved, and most of them consumed.
  ///
  /// Each commit comes a millisecond after the one before, as fast as any disk could take them. So
  /// the ids of promises that are far from each other in the log are in the order of time.
  static func fill(_ store: LMDBEventStore, _ baseline: Baseline) throws {
    let replica = Replica()
    let session = SessionID(entityID: EntityID(high: 2, low: 2))
    let ids = RandomIDGenerator()
    let opened = SessionOpened(
      role: .app, processID: 1, instance: "default", host: "host", libraryVersion: "0")
    for number in 0..<300 {
      let commit = CommitID(session: session, number: UInt64(number + 1))
      var staged: StagedLayer?
      let before = replica.position
      _ = try store.commit(
        commit, after: before, patience: Patience(.seconds(5)),
        catchUp: { (_) throws(LedgerError) in },
        decide: { (head, _) throws(LedgerError) in
          let now = Timestamp(nanosecondsSinceEpoch: Int64(number) * 1_000_000)
          let context = DecisionContext(session: session, role: .app, now: now)
          var decision = replica.withState { Decision(over: $0, context: context) }
          if number == 0 {
            try decision.run(
              OpenSession(opened, newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1))))
          }
          for index in 0..<1_000 {
            let id = PromiseID(entityID: ids.makeID(at: now))
            _ = try decision.run(
              CreatePromise(
                id: id, creation: PromiseCreated(typeTag: "string", label: "promise \(index)"),
                isStrict: true))
            _ = try decision.run(
              ResolvePromise(
                id: id, outcome: .fulfilled, content: Array("\"a value of some length\"".utf8),
                typeTag: "string", idempotencyKey: nil, isStrict: true))
            if index % 10 != 0 {
              _ = try decision.run(ConsumePromise(id: id, delivery: .recordedBefore))
            }
          }
          staged = decision.staged
          var frames = Frames()
          decision.batch.packFrames(from: head.advanced(by: 1), number: 1, commit: commit) {
            key, frame in
            frames.keys.append(key)
            frames.lengths.append(UInt32(frame.count))
            frames.bytes.append(contentsOf: frame)
          }
          do {
            try baseline.commit(frames)
          } catch {
            throw LedgerError(.ioFailure, "the baseline failed", cause: error)
          }
          return decision.batch
        })
      if let staged { replica.merge(staged) }
    }
  }
}
