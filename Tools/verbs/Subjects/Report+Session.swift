import LedgerRuntime

extension Report {
  /// All facts that a ledger has about one session.
  init(_ record: SessionRecord) {
    self.init()
    add("session", "id", record.id.description)
    switch record.status {
    case .open: add("state", "state", "open")
    case .frozen: add("state", "state", "frozen")
    case .ended(let reason):
      add("state", "state", "ended")
      add("reason", "reason", "\(reason)")
    }
    add("role", "role", "\(record.opened.role)")
    add("instance", "instance", record.opened.instance)
    add("process", "processID", Int(record.processID))
    add("host", "host", record.opened.host)
    add("library", "libraryVersion", record.opened.libraryVersion)
    add("opened", "openedAt", record.openedAt)
    add(
      "last event", "lastEvent",
      .object([
        "position": .unsigned(record.lastPosition.rawValue),
        "time": .string("\(record.lastTime)"),
      ]), text: "\(record.lastTime) at position \(record.lastPosition)",
      time: record.lastTime)
  }
}
