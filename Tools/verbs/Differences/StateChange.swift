import LedgerRuntime

/// The difference between two states of one thing.
struct StateChange {
  enum Kind: String, CaseIterable {
    case created, settled, changed, removed
  }

  static let columns = [
    Column("change", width: 7), Column("what", width: 7), .name, .id, Column("details"),
  ]

  let kind: Kind
  private let before: Subject?
  private let after: Subject?

  /// `nil` if there is no difference.
  ///
  /// - Parameter haveSameLargeValues: Compares the values that are stored beside the events of a subject that is
  ///   otherwise the same in both states.
  init?(
    before: Subject?, after: Subject?,
    haveSameLargeValues: (Subject) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _?): kind = .created
    case (_?, nil): kind = .removed
    case (let before?, let after?):
      if before.isSame(as: after), try haveSameLargeValues(before) { return nil }
      kind = before.isOpen && !after.isOpen ? .settled : .changed
    }
    (self.before, self.after) = (before, after)
  }

  /// It in a list.
  var record: Record {
    guard let subject = after ?? before else { return Record(cells: [], json: .object([:])) }
    var members: [String: JSONValue] = [
      "change": .string(kind.rawValue), "entity": .string(subject.sort.rawValue),
      "id": .string("\(subject.id)"),
    ]
    members["before"] = before?.facts.json
    members["after"] = after?.facts.json
    return Record(
      cells: [
        kind.rawValue, subject.sort.rawValue, subject.nameText ?? "", "\(subject.id)",
        words(about: subject).joined(separator: ", "),
      ],
      json: .object(members))
  }

  private func words(about subject: Subject) -> [String] {
    guard case .object(let old)? = before?.facts.json, case .object(let new)? = after?.facts.json
    else { return [subject.stateWord] }
    var names = Set(old.keys).union(new.keys).filter {
      old[$0]?.description != new[$0]?.description
    }
    var words: [String] = []
    // What matters most comes first, and tells the outcome, too.
    if names.remove("state") != nil {
      words.append("\(before?.stateWord ?? "") → \(after?.stateWord ?? "")")
      names.remove("outcome")
    }
    words += names.sorted().map { "\($0) \(old[$0]?.words ?? "-") → \(new[$0]?.words ?? "-")" }
    return words.isEmpty ? ["differs in details that are not shown"] : words
  }
}

extension Subject {
  fileprivate var sort: StateEntry.Sort {
    switch self {
    case .promise(let record): StateEntry.Sort(record)
    case .handler: .handler
    case .session: .session
    }
  }

  fileprivate var facts: Report {
    switch self {
    case .promise(let record): Report(record)
    case .handler(let record): Report(record)
    case .session(let record): Report(record)
    }
  }

  /// Whether something may still become of it.
  fileprivate var isOpen: Bool {
    switch self {
    case .promise(let record): record.status == .pending
    case .handler(let record): record.status == .active
    case .session(let record): record.status == .open || record.status == .frozen
    }
  }

  fileprivate var stateWord: String {
    switch self {
    case .promise(let record): record.statusWord
    case .handler(let record): "\(record.status)"
    case .session(let record):
      switch record.status {
      case .open: "open"
      case .frozen: "frozen"
      case .ended(let reason): "ended (\(reason))"
      }
    }
  }

  fileprivate func isSame(as other: Subject) -> Bool {
    switch (self, other) {
    case (.promise(let record), .promise(let other)): record == other
    case (.handler(let record), .handler(let other)): record == other
    case (.session(let record), .session(let other)): record == other
    default: false
    }
  }
}

extension JSONValue {
  /// The value in a line of a table: of a trace only the time.
  fileprivate var words: String {
    switch self {
    case .string(let text): return text.clipped.plainOrQuoted
    case .object(let members):
      if case .string(let time)? = members["time"], members["position"] != nil { return time }
      return description.clipped
    default: return description.clipped
    }
  }
}
