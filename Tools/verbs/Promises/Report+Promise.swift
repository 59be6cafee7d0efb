import LedgerRuntime

extension Report {
  /// All facts that a ledger has about one promise.
  init(_ record: PromiseRecord, forProgramsOnly: Bool = false) {
    self.init(forProgramsOnly: forProgramsOnly)
    add(record)
  }

  /// Adds all facts that a ledger has about one promise.
  mutating func add(_ record: PromiseRecord) {
    add("promise", "id", record.id.description)
    add("state", "state", "\(record.status)")
    add("type", "typeTag", record.typeTag)
    if let key = record.key { add("key", "key", key) }
    if let label = record.label { add("label", "label", label) }
    if !record.tags.isEmpty {
      let text = record.tags.map(\.quoted).joined(separator: " ")
      add("tags", "tags", .strings(record.tags), text: text)
    }
    if let deadline = record.deadline {
      add("deadline", "deadline", deadline)
      add("at deadline", "deadlineEffect", "\(record.deadlineEffect)")
    }
    if let parent = record.parent { add("parent", "parent", parent.description) }
    if let work = record.work { add(work) }
    if let joint = record.joint { add(joint) }
    add("created", "created", record.created)
    if let instance = record.creatorInstance { add("instance", "creatorInstance", instance) }
    if let outcome = record.outcomeKind { add("outcome", "outcome", "\(outcome)") }
    if let content = record.outcome { add(content) }
    if let resolved = record.resolved { add("resolved", "resolved", resolved) }
    if let consumed = record.consumed { add("consumed", "consumed", consumed) }
    if let abandoned = record.abandoned { add("abandoned", "abandoned", abandoned) }
    if let reason = record.abandonReason { add("reason", "abandonReason", reason) }
  }

  private mutating func add(_ joint: JointRecord) {
    add("rule", "rule", "\(joint.rule)")
    if joint.isGrouped { add("inputs are groups", "isGrouped", .bool(true), text: "yes") }
    let inputs = joint.inputs.map(\.description)
    add("inputs", "inputs", .strings(inputs), text: inputs.joined(separator: " "))
    if let input = joint.chosenInput { add("value of", "chosenInput", input.description) }
  }

  private mutating func add(_ outcome: PromiseOutcome<StoredValue>) {
    switch outcome {
    case .fulfilled(let value):
      let content = ContentText(value.bytes)
      add("value", content.jsonName(for: "value"), .string(content.text), text: content.words)
    case .rejected(let error):
      add(
        "error", "error", .object(error.members), text: error.description.escapingControlCharacters)
      for (title, text) in error.details { addLine(title, text.escapingControlCharacters) }
    case .cancelled(let reason): add("reason", "reason", reason)
    case .timedOut: break
    }
  }
}
