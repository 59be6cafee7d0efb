import PromiseLedger

extension Record {
  /// The columns of a list of handlers.
  static let handlerColumns = [
    Column("id", width: 36), Column("state", width: 11), Column("kind", width: 20),
    Column("created", width: 27), Column("details"),
  ]

  init(_ handler: HandlerRecord) {
    cells = [
      "\(handler.id)", "\(handler.status)", handler.kind.escapingControlCharacters,
      "\(handler.created.time)", handler.words.joined(separator: ", "),
    ]
    json = Report(handler).json
  }
}

extension HandlerRecord {
  fileprivate var words: [String] {
    var words: [String] = []
    if let label { words.append(label.quoted) }
    if let key { words.append("key \(key.quoted)") }
    words.append(repetitionWords)
    if !scopes.isEmpty { words.append("scopes \(scopes.map(\.quoted).joined(separator: " "))") }
    words += openCalls.map(\.words)
    if let finish = lastFinish {
      words.append("last \(finish.purpose) \(finish.outcome) at \(finish.trace.time)")
    }
    if let reason = invalidation?.reason, !reason.isEmpty {
      words.append("reason \(reason.quoted)")
    }
    return words
  }
}
