/// The events and the snapshot of a ledger that is looked at.
package struct InspectedLog: LedgerSource {
  private let inspector: LedgerInspector

  init(_ inspector: LedgerInspector) {
    self.inspector = inspector
  }

  package func head() throws(LedgerError) -> Position { try inspector.head }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try inspector.reading { (log) throws(LedgerError) in
      try log.read(after: position, limit: limit, body)
    }
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try inspector.reading { (log) throws(LedgerError) in
      try log.attachment(of: position, byteCount: byteCount)
    }
  }

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try inspector.reading { (log) throws(LedgerError) in try log.readSnapshot(body) }
  }

  package func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try inspector.readingView { (view) throws(LedgerError) in try body(view) }
  }
}

extension LedgerInspector {
  package var log: InspectedLog { InspectedLog(self) }
}
