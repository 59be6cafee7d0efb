/// The events of a ledger that is looked at.
struct InspectedLog: EventSource {
  private let inspector: LedgerInspector

  init(_ inspector: LedgerInspector) {
    self.inspector = inspector
  }

  package func head() throws(LedgerError) -> Position { try inspector.head }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try inspector.readingEnvironment { (environment) throws(LedgerError) in
      try LMDBLog(environment).read(after: position, limit: limit, body)
    }
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try inspector.readingEnvironment { (environment) throws(LedgerError) in
      try LMDBLog(environment).attachment(of: position, byteCount: byteCount)
    }
  }
}

extension LedgerInspector {
  var log: InspectedLog { InspectedLog(self) }
}
