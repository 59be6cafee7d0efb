package import LedgerRuntime

/// Facts about one thing: two columns in a table, one object in JSON.
package struct Report {
  private var lines: [(title: String, text: String, time: Timestamp?)] = []
  private var members: [String: JSONValue] = [:]
  /// Whether there is nothing for people, which would take time for each of many records.
  private let isForProgramsOnly: Bool

  package init(forProgramsOnly isForProgramsOnly: Bool = false) {
    self.isForProgramsOnly = isForProgramsOnly
  }

  /// Adds a fact under its title for people and its name in JSON.
  ///
  /// - Parameter time: The time that the text has; on a terminal, its age is shown.
  package mutating func add(
    _ title: String, _ name: String, _ value: JSONValue, text: @autoclosure () -> String,
    time: Timestamp? = nil
  ) {
    if !isForProgramsOnly { lines.append((title, text(), time)) }
    members[name] = value
  }

  package mutating func add(_ title: String, _ name: String, _ time: Timestamp) {
    add(title, name, .string("\(time)"), text: "\(time)", time: time)
  }

  package mutating func add(_ title: String, _ name: String, _ text: String) {
    add(title, name, .string(text), text: text.escapingControlCharacters)
  }

  package mutating func add(_ title: String, _ name: String, _ number: Int) {
    add(title, name, .integer(Int64(number)), text: String(number))
  }

  package mutating func add(_ title: String, _ name: String, _ position: UInt64) {
    add(title, name, .unsigned(position), text: String(position))
  }

  /// Adds a line for people only.
  package mutating func addLine(_ title: String, _ text: @autoclosure () -> String) {
    if !isForProgramsOnly { lines.append((title, text(), nil)) }
  }

  /// Adds a member for programs only.
  package mutating func add(_ name: String, _ value: JSONValue) { members[name] = value }

  /// Adds the facts of another report.
  package mutating func add(facts other: Report) {
    lines += other.lines
    members.merge(other.members) { $1 }
  }

  package var json: JSONValue { .object(members) }

  package func write(as format: OutputFormat, to output: any TextSink) throws {
    switch format {
    case .json, .jsonl: try output.write("\(json)\n")
    case .table:
      let width = lines.map(\.title.count).max() ?? 0
      let now = output.lineLimit == nil ? nil : SystemLedgerClock().now()
      for (title, text, time) in lines {
        var text = text
        if let now, let time {
          let age = "\(time) (\(time.ago(at: now)))"
          text = text.replacing("\(time)", with: age, maxReplacements: 1)
        }
        try output.write("\(title.padded(toWidth: width))  \(text)\n")
      }
    }
    try output.flush()
  }
}
