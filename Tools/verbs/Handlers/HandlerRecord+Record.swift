import LedgerRuntime

extension Record {
  /// The columns of a list of handlers.
  static let handlerColumns = [
    .name, .id, Column("state", width: 11), Column("kind", width: 20), .time("created"),
    Column("details"),
  ]

  /// - Parameter runners: Whether the sessions that run its calls go on.
  init(_ handler: HandlerRecord, _ runners: [SessionID: Liveness]) {
    cells = [
      handler.nameText ?? "", "\(handler.id)",
      "\(handler.status)", handler.kind.escapingControlCharacters,
      "\(handler.created.time)", handler.words(runners).joined(separator: ", "),
    ]
    json = Report(handler, runners).json
  }
}

extension HandlerRecord {
  fileprivate func words(_ runners: [SessionID: Liveness]) -> [String] {
    var words: [String] = []
    if key != nil, let label { words.append(label.quoted) }
    words.append(repetitionWords)
    if !scopes.isEmpty { words.append("scopes \(scopes.map(\.quoted).joined(separator: " "))") }
    words += openCalls.map { $0.words(runners) }
    if let finish = lastFinish {
      words.append("last \(finish.purpose) \(finish.outcome) at \(finish.trace.time)")
    }
    if let reason = invalidation?.reason, !reason.isEmpty {
      words.append("reason \(reason.quoted)")
    }
    return words
  }
}
