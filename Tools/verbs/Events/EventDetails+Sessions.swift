import LedgerRuntime

extension EventDetails {
  /// Adds the content of an event about the ledger or a session; `false` if it is about neither.
  mutating func addSession(_ event: LedgerEvent) throws(LedgerError) -> Bool {
    if let created = try event.decode(as: LedgerCreated.self) {
      let version = created.formatVersion
      add("formatVersion", .integer(Int64(version)), "format version \(version)")
    } else if let opened = try event.decode(as: SessionOpened.self) {
      add(opened)
    } else if try event.decode(as: SessionFrozen.self) != nil {
      return true
    } else if let unfrozen = try event.decode(as: SessionUnfrozen.self) {
      add(processID: unfrozen.processID)
    } else if let closed = try event.decode(as: SessionClosed.self) {
      add("reason", .string("\(closed.reason)"), "\(closed.reason)")
    } else {
      return false
    }
    return true
  }

  private mutating func add(_ opened: SessionOpened) {
    add("role", .string("\(opened.role)"), "\(opened.role)")
    add(processID: opened.processID)
    add("instance", .string(opened.instance), "instance \(opened.instance.quoted)")
    add("host", .string(opened.host), "host \(opened.host.quoted)")
    let version = opened.libraryVersion
    add("libraryVersion", .string(version), "library \(version.escapingControlCharacters)")
  }

  private mutating func add(processID: Int32) {
    add("processID", .integer(Int64(processID)), "process \(processID)")
  }
}
