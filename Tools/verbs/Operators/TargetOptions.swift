import ArgumentParser
import LedgerRuntime

/// The one promise or handler that an operator changes.
struct TargetOptions: ParsableArguments {
  @Argument(
    help:
      "What to change: an id, its beginning or its end (at least 4 characters), or a key; - reads names from standard input, one a line. Instead, options may select many."
  )
  var name: EntityName?

  @Option(help: "The promise's key, and nothing else.")
  var key: String?

  @Option(help: "The handler's key, and nothing else.")
  var handlerKey: String?

  /// Whether standard input has the names.
  var isInput: Bool { name?.text == "-" && key == nil && handlerKey == nil }

  /// `nil` if there is no name.
  ///
  /// - Parameter preferred: The kind that the verb is for.
  func subjectName(preferring preferred: LedgerSubject.Kind) throws -> SubjectName? {
    switch (name, key, handlerKey) {
    case (nil, nil, nil): nil
    case (let name?, nil, nil): .text(name, preferring: preferred)
    case (nil, let key?, nil): .promiseKey(try PromiseKey(checking: key))
    case (nil, nil, let key?): .handlerKey(try HandlerKey(checking: key))
    default: throw ValidationError("Give one name: an id, a promise's key, or a handler's key.")
    }
  }
}
