/// The sessions that have not ended according to the log, and whether their processes are there.
package struct SessionPresences: Sendable {
  private let known: [SessionID: SessionRecord.Presence]

  /// - Parameter known: The sessions that have not ended.
  package init(_ known: [SessionID: SessionRecord.Presence]) {
    self.known = known
  }

  package subscript(id: SessionID) -> SessionRecord.Presence { known[id] ?? .gone }

  /// The sessions whose processes are alive and have the ledger open, in the order of ids.
  package var living: [SessionID] { known.filter { $0.value == .alive }.keys.sorted() }
}
