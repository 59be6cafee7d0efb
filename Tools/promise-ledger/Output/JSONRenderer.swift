import PromiseLedger

/// One JSON array of all events.
struct JSONRenderer: EventRenderer {
  private var isFirst = true

  var header: String { "[" }
  var footer: String { isFirst ? "]\n" : "\n]\n" }

  mutating func render(_ event: LedgerEvent, _ details: EventDetails) -> String {
    defer { isFirst = false }
    return "\(isFirst ? "\n" : ",\n")\(JSONValue(event, details))"
  }
}
