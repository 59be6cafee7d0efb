import PromiseLedger

/// Everything that a ledger knows about one promise.
struct PromiseReport {
  private var report = Report()

  init(_ record: PromiseRecord) {
    report.add("promise", "id", record.id.description)
    report.add("state", "state", "\(record.status)")
    report.add("type", "typeTag", record.typeTag)
    if let key = record.key { report.add("key", "key", key) }
    if let label = record.label { report.add("label", "label", label) }
    if !record.tags.isEmpty {
      let text = record.tags.map(\.quoted).joined(separator: " ")
      report.add("tags", "tags", .strings(record.tags), text: text)
    }
    if let deadline = record.deadline {
      report.add("deadline", "deadline", "\(deadline)")
      report.add("at deadline", "deadlineEffect", "\(record.deadlineEffect)")
    }
    add("created", record.created)
    if let outcome = record.outcomeKind { report.add("outcome", "outcome", "\(outcome)") }
    if let content = record.outcome { add(content) }
    if let resolved = record.resolved { add("resolved", resolved) }
    if let consumed = record.consumed { add("consumed", consumed) }
    if let abandoned = record.abandoned { add("abandoned", abandoned) }
    if let reason = record.abandonReason { report.add("reason", "abandonReason", reason) }
  }

  var json: JSONValue { report.json }

  func write(as format: OutputFormat, to output: any TextSink) throws {
    try report.write(as: format, to: output)
  }

  private mutating func add(_ name: String, _ trace: PromiseRecord.Trace) {
    let members: [String: JSONValue] = [
      "position": .unsigned(trace.position.rawValue), "time": .string("\(trace.time)"),
      "session": .string("\(trace.session)"),
    ]
    report.add(
      name, name, .object(members),
      text: "\(trace.time) at position \(trace.position) by session \(trace.session)")
  }

  private mutating func add(_ outcome: PromiseOutcome<StoredValue>) {
    switch outcome {
    case .fulfilled(let value):
      let content = ContentText(value.bytes)
      report.add(
        "value", content.jsonName(for: "value"), .string(content.text), text: content.words)
    case .rejected(let error):
      var members: [String: JSONValue] = [
        "domain": .string(error.domain), "message": .string(error.message),
      ]
      members["code"] = error.code.map(JSONValue.integer)
      report.add(
        "error", "error", .object(members), text: error.description.escapingControlCharacters)
    case .cancelled(let reason): report.add("reason", "reason", reason)
    case .timedOut: break
    }
  }
}
