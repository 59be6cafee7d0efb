/// A difference between a recording and what this build makes of it.
public struct RecordingDivergence: Sendable, Hashable {
  /// The class of a divergence.
  @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file is not a whole recording.
    case damagedRecording
    /// A later version wrote the file.
    case newerRecording
    /// This build does not know an event, or the record that it changes.
    case unknownEvent
    /// The payload of an event cannot be read.
    case damagedEvent
    /// An event cannot follow those before it.
    case impossibleEvent
    /// The history of a test has another event than the recording.
    case otherEvent
    /// The events lead to another state than they led to when they were recorded.
    case digestDiffers
    /// A handler or work has a kind that is not registered.
    case missingKind
    /// A stored argument does not have the type of its parameter, or is missing.
    case argumentMismatch
    /// A recorded step has another type than the code now gives it.
    case stepTypeMismatch
    /// A handler or work cannot be run for another reason.
    case notRunnable
  }

  /// The class of the divergence.
  public let kind: Kind
  /// The event at which it is seen, if it is about one.
  public let position: Position?
  /// The entity that it is about, if there is one.
  public let subject: EntityID?
  /// What the recording, or the code, expects.
  public let expected: String
  /// What was found.
  public let actual: String
  /// The events around the position, in words.
  public let context: [String]

  package init(
    _ kind: Kind, at position: Position? = nil, of subject: EntityID? = nil, expected: String,
    actual: String, context: [String] = []
  ) {
    self.kind = kind
    self.position = position
    self.subject = subject
    self.expected = expected
    self.actual = actual
    self.context = context
  }
}

extension RecordingDivergence: CustomStringConvertible {
  /// The divergence and its context, on several lines.
  public var description: String {
    let place = position.map { " at position \($0)" } ?? ""
    let name = subject.map { " (\($0))" } ?? ""
    let lines = ["\(kind.rawValue)\(place)\(name): expected \(expected), found \(actual)"]
    return (lines + context.map { "  \($0)" }).joined(separator: "\n")
  }
}
