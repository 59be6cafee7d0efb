import LedgerRuntime

extension Report {
  /// What this build makes of a recording.
  init(_ replay: RecordingReplay, of rebuilt: RebuiltRecording, in file: String) {
    self.init()
    let recording = rebuilt.recording
    add("recording", "recording", file)
    add("ledger", "ledger", rebuilt.metadata.ledgerID.description)
    add("events", "events", rebuilt.summary.eventCount)
    add("position", "position", replay.position.rawValue)
    let isRedacted = recording?.isRedacted ?? false
    add("redacted", "redacted", .bool(isRedacted), text: isRedacted ? "yes" : "no")
    add("recorded digests", "recordedDigests", recording?.states.count ?? 0)
    add("log digest", "logDigest", rebuilt.summary.logDigest.description)
    add("state digest", "stateDigest", replay.digest.description)
    addLine("divergences", "\(replay.divergences.count)")
    for divergence in replay.divergences { addText(of: divergence) }
    add("divergences", .array(replay.divergences.map(\.json)))
    let rows = replay.coverage.rows
    addLine("situations", "\(rows.count)")
    for line in replay.coverage.description.split(separator: "\n") {
      addLine("", String(line).escapingControlCharacters)
    }
    add("coverage", .array(rows.map(\.json)))
  }

  /// A recording that cannot be read.
  init(_ error: LedgerError, in file: String) {
    self.init()
    add("recording", "recording", file)
    add("error", "error", error.description)
  }

  private mutating func addText(of divergence: RecordingDivergence) {
    let place = divergence.position.map { " at position \($0)" } ?? ""
    addLine("", "\(divergence.kind.rawValue)\(place)")
    addLine("", "  expected \(divergence.expected.escapingControlCharacters)")
    addLine("", "  found    \(divergence.actual.escapingControlCharacters)")
    for event in divergence.context { addLine("", "  \(event.escapingControlCharacters)") }
  }
}

extension RecordingDivergence {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [
      "kind": .string(kind.rawValue), "expected": .string(expected), "actual": .string(actual),
      "context": .strings(context),
    ]
    members["position"] = position.map { .unsigned($0.rawValue) }
    members["subject"] = subject.map { .string($0.description) }
    return .object(members)
  }
}

extension RecordingCoverage.Row {
  fileprivate var json: JSONValue {
    .object([
      "event": .string("\(event)"), "state": .string(state), "kind": .string(kind),
      "count": .integer(Int64(count)),
    ])
  }
}
