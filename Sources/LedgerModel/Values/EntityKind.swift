/// The kind of entity in a snapshot record. The raw value is the number in the file.
package enum EntityKind: UInt8, Sendable, Hashable, CaseIterable {
  /// A promise.
  case promise = 1
  /// A session.
  case session = 2
  /// A handler.
  case handler = 3
}

extension EntityKind {
  /// The name of the kind in archives and texts.
  package var name: String {
    switch self {
    case .promise: "promise"
    case .session: "session"
    case .handler: "handler"
    }
  }
}
