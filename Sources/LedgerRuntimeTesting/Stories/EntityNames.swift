import LedgerModel
import LedgerRuntime

/// Names for the entities of a ledger by which a reader of a test knows them. No two entities of one kind have the
/// same.
struct EntityNames: Sendable {
  private enum Kind: String {
    case promise, handler, session
  }

  /// A text by which entities of a kind are called.
  private struct Text: Hashable {
    let kind: Kind
    let text: String
  }

  /// The text of each entity, and its number among those with the same text, from 1.
  private var texts: [EntityID: (text: Text, number: Int)] = [:]
  private var counts: [Text: Int] = [:]
  private var counters: [Kind: Int] = [:]
  /// The promises that other promises settle.
  private var joints: Set<EntityID> = []

  /// Names the entity that an event creates.
  mutating func add(_ event: LedgerEvent) throws(LedgerError) {
    if let created: PromiseCreated = try event.decode() {
      add(event.subject, .promise, created.key ?? created.label)
      if created.joint != nil { joints.insert(event.subject) }
    } else if let created: HandlerCreated = try event.decode() {
      add(event.subject, .handler, created.key ?? created.label)
    } else if let opened: SessionOpened = try event.decode() {
      add(event.subject, .session, "\(next(.session)) (\(opened.role))")
    }
  }

  /// Whether an event settles a promise that other promises settle.
  ///
  /// - Parameter source: The ledger of the event. Its snapshot has the promise if a compaction deleted the event that
  ///   created it.
  /// - Throws: The errors of reading the snapshot.
  func isResolutionOfJoint(
    _ event: LedgerEvent, in source: any LedgerSource
  ) throws(LedgerError) -> Bool {
    guard event.kind == .promiseResolved else { return false }
    let id = event.subject
    guard texts[id] == nil else { return joints.contains(id) }
    let record = try source.readSnapshot { (tables) throws(LedgerError) in
      try tables.records([id])[0].get()
    }
    guard let record else { return false }
    return try LedgerEntity(id, record).promise?.isJoint ?? false
  }

  private mutating func add(_ id: EntityID, _ kind: Kind, _ name: String?) {
    let text = Text(kind: kind, text: name ?? next(kind))
    counts[text, default: 0] += 1
    texts[id] = (text, counts[text, default: 0])
  }

  private mutating func next(_ kind: Kind) -> String {
    counters[kind, default: 0] += 1
    return "\(kind) \(counters[kind, default: 0])"
  }

  /// The name of an entity, or its id: its key or label, with its number in the order of creation if several have it.
  func name(of id: EntityID) -> String {
    guard let (text, number) = texts[id] else { return "\(id)" }
    guard counts[text, default: 0] > 1 else { return text.text }
    let numbered = "\(text.text) (\(number))"
    // It may itself be a label.
    let isTaken = counts[Text(kind: text.kind, text: numbered)] != nil
    return isTaken ? "\(text.text) (\(id))" : numbered
  }
}
