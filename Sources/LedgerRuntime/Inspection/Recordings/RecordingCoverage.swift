/// The situations that occur in recordings: which events meet which states of which kinds of code.
public struct RecordingCoverage: Sendable, Hashable {
  /// A situation.
  public struct Row: Sendable, Hashable {
    /// The kind of the event.
    public let event: EventKind
    /// The state of its subject before the event, in one word; `absent` before the first event.
    public let state: String
    /// The kind of handler or work; empty if the subject has none.
    public let kind: String
    /// The number of times that the situation occurs.
    public let count: Int
  }

  private struct Situation: Hashable {
    let event: EventKind
    let state: String
    let kind: String
  }

  private var counts: [Situation: Int] = [:]

  package init() {}

  /// The situations, in the order of the numbers of events, then of states and kinds.
  public var rows: [Row] {
    counts.map { Row(event: $0.event, state: $0.state, kind: $0.kind, count: $1) }
      .sorted { ($0.event.rawValue, $0.state, $0.kind) < ($1.event.rawValue, $1.state, $1.kind) }
  }

  /// Whether a situation occurs.
  ///
  /// - Parameter kind: The kind of handler or work; `nil` for any.
  public func contains(_ event: EventKind, in state: String, kind: String? = nil) -> Bool {
    counts.keys.contains {
      $0.event == event && $0.state == state && (kind == nil || $0.kind == kind)
    }
  }

  mutating func count(_ event: EventKind, in state: String, kind: String) {
    counts[Situation(event: event, state: state, kind: kind), default: 0] += 1
  }

  /// Adds the situations of other recordings.
  package mutating func formUnion(_ other: RecordingCoverage) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }
}

extension RecordingCoverage: CustomStringConvertible {
  /// The situations as lines of text, in columns.
  public var description: String {
    let rows = rows.map { row in
      ["\(row.event)", row.state, row.kind.isEmpty ? "-" : row.kind, "\(row.count)"]
    }
    let table = [["event", "state", "kind", "count"]] + rows
    let widths = (0..<4).map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 3 ? padding + cell.0 : cell.0 + padding
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
