import ArgumentParser
import LedgerRuntime

/// The promise or handler that a verb is about.
struct SubjectOptions: ParsableArguments {
  @Argument(
    help:
      "The promise or handler: an id, its beginning or its end (at least 4 characters), or a key.")
  var name: EntityName?

  @Option(help: "The promise's key, and nothing else.")
  var key: String?

  @Option(help: "The handler's key, and nothing else.")
  var handlerKey: String?

  func validate() throws { _ = try subjectName() }

  func subjectName() throws -> SubjectName {
    switch (name, key, handlerKey) {
    case (let name?, nil, nil): .text(name)
    case (nil, let key?, nil): .promiseKey(try PromiseKey(checking: key))
    case (nil, nil, let key?): .handlerKey(try HandlerKey(checking: key))
    default: throw ValidationError("Give an id, a promise's key, or a handler's key.")
    }
  }
}

/// The promise that a verb is about.
struct PromiseOptions: ParsableArguments {
  @Argument(
    help: "The promise: an id, its beginning or its end (at least 4 characters), or a key.")
  var name: EntityName?

  @Option(help: "The promise's key, and nothing else.")
  var key: String?

  func validate() throws { _ = try subjectName() }

  func subjectName() throws -> SubjectName {
    switch (name, key) {
    case (let name?, nil): .text(name, preferring: .promise)
    case (nil, let key?): .promiseKey(try PromiseKey(checking: key))
    default: throw ValidationError("Give a promise's id or its key.")
    }
  }
}
