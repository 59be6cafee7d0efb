package import LedgerModel
package import LedgerRuntime

extension BlockingInspector {
  /// The whole archive.
  package func archive() throws -> [UInt8] {
    var bytes: [UInt8] = []
    try export { bytes += $0 }
    return bytes
  }

  /// Everything about the events that can be compared.
  package func history() throws -> [(StoredEvent, [UInt8])] {
    try store.storedEvents(
      after: .start, through: try head, limit: .max, attachmentByteLimit: .max
    ).map { ($0.event, try $0.attachment.get()) }
  }

  /// The state that replay computes from the events.
  package func replayed() throws(LedgerError) -> LedgerState {
    var state = LedgerState()
    _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent { (event) throws(LedgerError) in try state.apply(event) }
    }
    return state
  }
}
