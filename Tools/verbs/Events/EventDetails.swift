import LedgerRuntime

/// The content of an event's payload: in words for people, and as members of a JSON object.
struct EventDetails {
  /// The reason why a payload cannot be shown.
  enum Problem {
    /// This build does not know its kind or version.
    case unknown
    case damaged
  }

  var words: [String] = []
  var members: [String: JSONValue] = [:]
  private(set) var problem: Problem?

  init(of event: LedgerEvent, in inspector: BlockingInspector) {
    do throws(LedgerError) {
      let isAboutSession = try addSession(event)
      let isAboutPromise = try addPromise(event, in: inspector)
      let isAboutWork = try addWork(event, in: inspector)
      let isAboutHandler = try addHandler(event, in: inspector)
      let isAboutCompaction = try addCompaction(event)
      if !isAboutSession, !isAboutPromise, !isAboutWork, !isAboutHandler, !isAboutCompaction {
        addUnknown(event)
      }
    } catch {
      add(error, of: event)
    }
  }

  /// Adds a fact under its name in JSON, and in words.
  mutating func add(_ name: String, _ value: JSONValue, _ words: String) {
    members[name] = value
    self.words.append(words)
  }

  private mutating func add(_ error: LedgerError, of event: LedgerEvent) {
    guard error.code != .unsupportedEvent else { return addUnknown(event) }
    guard error.code != .eventsDeleted else {
      return add("problem", .string("deleted meanwhile"), "deleted meanwhile")
    }
    problem = .damaged
    add("problem", .string(error.message), "DAMAGED: \(error.message.escapingControlCharacters)")
  }

  private mutating func addUnknown(_ event: LedgerEvent) {
    problem = .unknown
    add("payloadInHex", .string(event.payload.hexadecimal), "\(event.payload.count) bytes")
    add("problem", .string("unknown to this build"), "unknown to this build")
  }
}
