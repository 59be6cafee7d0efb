import ArgumentParser

/// The name of a promise, handler or session, as a person gives it: a whole id, its beginning or its end, or a
/// key.
struct EntityName: ExpressibleByArgument, Sendable {
  /// What the help says about such a name.
  static let help = "an id, its beginning or its end (at least 4 characters), or a key"

  let text: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
  }

  init(_ text: String) { self.text = text }
}
