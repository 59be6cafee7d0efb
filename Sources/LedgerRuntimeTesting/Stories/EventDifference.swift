import LedgerModel
public import LedgerRuntime

/// An error: a test expected other events than there were.
///
/// Its description shows both, line by line.
public struct EventDifference: Error, Sendable, Hashable {
  /// A line of the description.
  public struct Line: Sendable, Hashable {
    /// The side on which an event is.
    @nonexhaustive public enum Side: Sendable, Hashable {
      /// The event was expected, and came.
      case both
      /// The event was expected, and did not come.
      case expected
      /// The event came, and was not expected.
      case actual
      /// The event came, and was not expected, but others are allowed.
      case allowed
    }

    /// The side on which the event is.
    public let side: Side
    /// The event in words.
    public let text: String
  }

  /// The events of both sides, in order.
  public let lines: [Line]
  /// The file and the line of the expectation.
  public let place: String
}

extension EventDifference: CustomStringConvertible {
  /// The place of the expectation, and a line for each event.
  public var description: String {
    let marked = lines.map { line in
      switch line.side {
      case .both, .allowed: "    \(line.text)"
      case .expected: "  - \(line.text)"
      case .actual: "  + \(line.text)"
      }
    }
    let head =
      lines.contains { $0.side == .allowed }
      ? "\(place): expected events did not come (- is missing):"
      : "\(place): other events came than expected (- is missing, + was not expected):"
    return ([head] + marked).joined(separator: "\n")
  }
}

extension EventDifference {
  /// Compares events with the expected ones.
  ///
  /// - Parameter allowsOthers: Whether there may be other events among the expected ones.
  /// - Returns: `nil` if there is no difference.
  static func between(
    _ expected: [ExpectedEvent], _ actual: [EventLine], _ names: EntityNames,
    allowsOthers: Bool, at place: String
  ) -> EventDifference? {
    var lines = aligned(expected, actual, names)
    if allowsOthers {
      lines = lines.map { $0.side == .actual ? Line(side: .allowed, text: $0.text) : $0 }
    }
    guard lines.contains(where: { $0.side == .expected || $0.side == .actual }) else { return nil }
    return EventDifference(lines: lines, place: place)
  }

  /// Aligns as many events as possible (the longest common subsequence).
  private static func aligned(
    _ expected: [ExpectedEvent], _ actual: [EventLine], _ names: EntityNames
  ) -> [Line] {
    let width = actual.count + 1
    var lengths = [Int](repeating: 0, count: (expected.count + 1) * width)
    for row in expected.indices.reversed() {
      for column in actual.indices.reversed() {
        let (below, beside) = ((row + 1) * width + column, row * width + column + 1)
        lengths[row * width + column] =
          expected[row].matches(actual[column])
          ? lengths[below + 1] + 1 : max(lengths[below], lengths[beside])
      }
    }
    var (row, column) = (0, 0)
    var lines: [Line] = []
    while row < expected.count || column < actual.count {
      if row < expected.count, column < actual.count, expected[row].matches(actual[column]),
        lengths[row * width + column] == lengths[(row + 1) * width + column + 1] + 1
      {
        lines.append(Line(side: .both, text: actual[column].words(names)))
        (row, column) = (row + 1, column + 1)
      } else if row < expected.count,
        column == actual.count
          || lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]
      {
        lines.append(Line(side: .expected, text: expected[row].words(names)))
        row += 1
      } else {
        lines.append(Line(side: .actual, text: actual[column].words(names)))
        column += 1
      }
    }
    return lines
  }
}

/// An error: a test lets something happen, and names its events nowhere.
public struct UnnamedEvents: Error, Sendable, Hashable {
  /// The events, in words.
  public let events: [String]
  /// The file and the line of the `when`.
  public let place: String
}

extension UnnamedEvents: CustomStringConvertible {
  /// The place of the `when`, the events, and what to do.
  public var description: String {
    let head =
      "\(place): no expectation follows this `when`. Name its events with `then`, or say `thenNothing`, `expectRefused` or `ignoringEvents`."
    let lines = events.isEmpty ? ["There were none."] : events.map { "  + \($0)" }
    return ([head] + lines).joined(separator: "\n")
  }
}

/// An error: a command was refused in another way than expected, or not at all.
public struct RefusalDifference: Error, Sendable {
  /// The expected error.
  public let expected: LedgerError.Code
  /// The error that the command threw; `nil` if it threw none.
  public let actual: (any Error)?
  /// The file and the line of the expectation.
  public let place: String
}

extension RefusalDifference: CustomStringConvertible {
  /// The place of the expectation, and both errors.
  public var description: String {
    let actual = actual.map { "it threw \($0)" } ?? "it was not refused"
    return
      "\(place): the command should be refused with \(expected), but \(actual)."
  }
}
