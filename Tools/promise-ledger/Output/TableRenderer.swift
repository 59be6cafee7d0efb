import PromiseLedger

/// A line an event, in columns. Widths are fixed, so that no event has to wait for another.
struct TableRenderer: EventRenderer {
  let isStyled: Bool

  var header: String {
    let names = Self.line(
      "position", "time", "kind", subject: "subject", session: "session", details: "details")
    return isStyled ? "\u{1B}[1m\(names)\u{1B}[0m\n" : names + "\n"
  }

  var footer: String { "" }

  func render(_ event: LedgerEvent, _ details: EventDetails) -> String {
    let line = Self.line(
      "\(event.position)", "\(event.time)", "\(event.kind)",
      subject: event.subject.shortText,
      session: event.session.entityID.shortText,
      details: details.words.joined(separator: ", "))
    return line + "\n"
  }

  private static func line(
    _ position: String, _ time: String, _ kind: String, subject: String, session: String,
    details: String
  ) -> String {
    let columns = [
      position.padded(toWidth: 8, isRightAligned: true), time.padded(toWidth: 27),
      kind.padded(toWidth: 19), subject.padded(toWidth: 8), session.padded(toWidth: 8), details,
    ]
    var line = columns.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension String {
  fileprivate func padded(toWidth width: Int, isRightAligned: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - count))
    return isRightAligned ? padding + self : self + padding
  }
}
