import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Writes histories of promises straight into a store, many commands a commit.
///
/// Each commit comes a millisecond after the one before.
final class HistoryWriter {
  /// The number of promises in one commit.
  static let promisesPerCommit = 1_000

  let store: LMDBEventStore
  private let replica = Replica()
  private let session = SessionID(entityID: EntityID(high: 2, low: 2))
  private let ledgerID = LedgerID(entityID: EntityID(high: 1, low: 1))
  private let ids = RandomIDGenerator()
  private let start = SystemLedgerClock().now()
  private var commitCount = 0

  init(at path: String) throws {
    store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 40), newLedgerID: ledgerID,
      now: start)
    let opened = SessionOpened(
      role: .app, processID: 1, instance: "default", host: "host", libraryVersion: "0")
    let ledgerID = ledgerID
    try commit { (decision, _) throws(LedgerError) in
      try decision.run(OpenSession(opened, newLedgerID: ledgerID))
    }
  }

  /// The promises to write, and how far they proceed.
  struct Kind {
    var isKeyed = false
    /// One in this many promises stays pending, with a deadline; none if it is 0.
    var pendingEvery = 0
    /// One in this many promises stays unconsumed; none if it is 0.
    var unconsumedEvery = 10
  }

  /// Writes promises that are created, resolved and consumed.
  ///
  /// - Returns: The ids of the last consumed promise and of the last pending one.
  @discardableResult
  func write(_ numbers: Range<Int>, _ kind: Kind) throws -> (consumed: PromiseID?, live: PromiseID?)
  {
    var last: (consumed: PromiseID?, live: PromiseID?) = (nil, nil)
    for first in stride(
      from: numbers.lowerBound, to: numbers.upperBound, by: Self.promisesPerCommit)
    {
      let slice = first..<min(first + Self.promisesPerCommit, numbers.upperBound)
      try commit { (decision, now) throws(LedgerError) in
        for number in slice {
          let isPending = kind.pendingEvery > 0 && number.isMultiple(of: kind.pendingEvery)
          let isKept = kind.unconsumedEvery > 0 && number.isMultiple(of: kind.unconsumedEvery)
          let id = try create(number, kind.isKeyed, isPending, now, &decision)
          if isPending {
            last.live = id
            continue
          }
          _ = try decision.run(
            ResolvePromise(
              id: id, outcome: .fulfilled, content: Array("\"a value of some length\"".utf8),
              typeTag: "string", idempotencyKey: nil, isStrict: true))
          if isKept { continue }
          _ = try decision.run(ConsumePromise(id: id, delivery: .recordedBefore))
          last.consumed = id
        }
      }
    }
    return last
  }

  /// Writes queued work, of each kind in turn.
  func writeWork(_ count: Int, of kinds: [String]) throws {
    for numbers in (0..<count).slices(of: Self.promisesPerCommit) {
      try commit { (decision, now) throws(LedgerError) in
        for number in numbers {
          let kind = kinds[number % kinds.count]
          _ = try decision.run(CreatePromise(queued: kind, ids.makeID(at: now)))
        }
      }
    }
  }

  private func create(
    _ number: Int, _ isKeyed: Bool, _ isPending: Bool, _ now: Timestamp,
    _ decision: inout Decision
  ) throws(LedgerError) -> PromiseID {
    let key = isKeyed ? try PromiseKey("key \(number)") : nil
    let id = key?.promiseID ?? PromiseID(entityID: ids.makeID(at: now))
    _ = try decision.run(
      CreatePromise(
        id: id,
        creation: PromiseCreated(
          typeTag: "string", key: key?.text, label: "promise \(number)",
          deadline: isPending ? now + .seconds(86_400) : nil, idempotencyKey: key?.text),
        isStrict: true))
    return id
  }

  /// Folds everything.
  func fold() throws {
    var folder = Folder()
    let head = try store.head()
    while try folder.step(of: store, through: head, limit: 10_000) != nil {}
    try folder.markReadBack(of: store)
  }

  /// Folds everything, and deletes the folded events.
  func compact() throws {
    let head = try store.head()
    try fold()
    while try EventDeletion(store).step(through: head) != nil {}
    _ = try replica.catchUp(from: store)
  }

  private func commit(
    _ body: (inout Decision, Timestamp) throws(LedgerError) -> Void
  ) throws {
    commitCount += 1
    let now = start + .milliseconds(commitCount)
    let context = DecisionContext(session: session, role: .app, now: now)
    var staged: StagedLayer?
    _ = try store.commit(
      CommitID(session: session, number: UInt64(commitCount)), after: replica.position,
      patience: Patience(.seconds(5)),
      catchUp: { (frame) throws(LedgerError) in try replica.apply(frame) },
      decide: { (_, _) throws(LedgerError) in
        var decision = Decision(over: replica.copy(readingFrom: store), context: context)
        try body(&decision, now)
        staged = decision.staged
        return decision.batch
      })
    if let staged { replica.merge(staged) }
  }
}
