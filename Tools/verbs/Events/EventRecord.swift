import LedgerRuntime

extension Record {
  /// The columns of a list of events.
  static let eventColumns = [
    Column("position", width: 8, isRightAligned: true), .time("time"),
    Column("kind", width: 19), Column("subject", width: 8), Column("session", width: 8),
    Column("details"),
  ]

  /// An event: in the table with the ends of its ids, in JSON with its whole content.
  init(_ event: LedgerEvent, _ details: EventDetails) {
    cells = [
      "\(event.position)", "\(event.time)", "\(event.kind)", event.subject.shortText,
      event.session.entityID.shortText, details.words.joined(separator: ", "),
    ]
    json = Self.json(of: event, details)
  }

  /// An event with its whole content.
  static func json(of event: LedgerEvent, _ details: EventDetails) -> JSONValue {
    var members: [String: JSONValue] = [
      "position": .unsigned(event.position.rawValue),
      "time": .string("\(event.time)"),
      "kind": .string("\(event.kind)"),
      "version": .integer(Int64(event.version)),
      "subject": .string("\(event.subject)"),
      "session": .string("\(event.session)"),
      "details": .object(details.members),
    ]
    members["cause"] = event.cause.map { .unsigned($0.rawValue) }
    return .object(members)
  }
}
