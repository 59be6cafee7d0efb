import LedgerRuntime

extension PromiseRecord.Trace {
  /// The members of a JSON object that name the writer and the time of an event.
  var members: [String: JSONValue] {
    [
      "position": .unsigned(position.rawValue), "time": .string("\(time)"),
      "session": .string("\(session)"),
    ]
  }

  /// The same for people.
  var words: String { "\(time) at position \(position) by session \(session)" }
}

extension Report {
  /// Adds that something happened.
  mutating func add(_ title: String, _ name: String, _ trace: PromiseRecord.Trace) {
    add(title, name, .object(trace.members), text: trace.words, time: trace.time)
  }
}
