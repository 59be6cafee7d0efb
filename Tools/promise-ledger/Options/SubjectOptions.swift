import ArgumentParser
import PromiseLedger

/// The promise or handler that a verb is about.
struct SubjectOptions: ParsableArguments {
  @Argument(
    help: "The id of a promise or handler, or a beginning of it that no other id shares.")
  var id: IDPrefix?

  @Option(help: "The promise's key, instead of an id.")
  var key: String?

  @Option(help: "The handler's key, instead of an id.")
  var handlerKey: String?

  func validate() throws { _ = try name() }

  func name() throws -> SubjectName {
    switch (id, key, handlerKey) {
    case (let prefix?, nil, nil): .id(prefix)
    case (nil, let key?, nil): .promiseKey(try PromiseKey(checking: key))
    case (nil, nil, let key?): .handlerKey(try HandlerKey(checking: key))
    default: throw ValidationError("Give an id, a promise's key, or a handler's key.")
    }
  }
}

/// The promise that a verb is about.
struct PromiseOptions: ParsableArguments {
  @Argument(help: "The id of a promise, or a beginning of it that no other id shares.")
  var id: IDPrefix?

  @Option(help: "The promise's key, instead of an id.")
  var key: String?

  func validate() throws { _ = try name() }

  func name() throws -> SubjectName {
    switch (id, key) {
    case (let prefix?, nil): .id(prefix)
    case (nil, let key?): .promiseKey(try PromiseKey(checking: key))
    default: throw ValidationError("Give a promise's id or its key.")
    }
  }

  /// The name as it was given, for people.
  var words: String { key.map { "key \($0.quoted)" } ?? id?.text ?? "" }
}
