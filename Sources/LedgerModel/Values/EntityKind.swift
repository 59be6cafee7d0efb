/// What kind of entity a snapshot record is about; the number in the file.
public enum EntityKind: UInt8, Sendable, Hashable, CaseIterable {
  /// A promise.
  case promise = 1
  /// A session.
  case session = 2
  /// A handler.
  case handler = 3
}

extension EntityKind {
  /// Its name in archives and texts.
  package var name: String {
    switch self {
    case .promise: "promise"
    case .session: "session"
    case .handler: "handler"
    }
  }
}
