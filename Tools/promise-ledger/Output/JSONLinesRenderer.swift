import PromiseLedger

/// A JSON object an event, each on its line.
struct JSONLinesRenderer: EventRenderer {
  var header: String { "" }
  var footer: String { "" }

  func render(_ event: LedgerEvent, _ details: EventDetails) -> String {
    "\(JSONValue(event, details))\n"
  }
}

extension JSONValue {
  /// An event with its whole ids and everything that its payload says.
  init(_ event: LedgerEvent, _ details: EventDetails) {
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
    self = .object(members)
  }
}
