import LedgerModel
import LedgerRuntime

/// Names for the entities of a ledger by which a reader of a test knows them.
struct EntityNames: Sendable {
  private var names: [EntityID: String] = [:]
  private var counts: [String: Int] = [:]

  /// Names the entity that an event creates.
  mutating func add(_ event: LedgerEvent) throws(LedgerError) {
    if let created: PromiseCreated = try event.decode() {
      names[event.subject] = created.key ?? created.label ?? next("promise")
    } else if let created: HandlerCreated = try event.decode() {
      names[event.subject] = created.key ?? created.label ?? next("handler")
    } else if let opened: SessionOpened = try event.decode() {
      names[event.subject] = "\(next("session")) (\(opened.role))"
    }
  }

  private mutating func next(_ word: String) -> String {
    counts[word, default: 0] += 1
    return "\(word) \(counts[word, default: 0])"
  }

  /// The name of an entity, or its id.
  func name(of id: EntityID) -> String { names[id] ?? "\(id)" }
}
