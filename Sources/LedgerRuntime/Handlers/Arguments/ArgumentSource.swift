/// The arguments of one call: those given by the call, backed by the bound ones.
struct ArgumentSource: Sendable {
  /// The handler's name in errors.
  let handler: CodeName
  let bound: StoredArguments
  let given: StoredArguments
  /// The names of given arguments whose types are known, but not yet their values.
  var typedOnly: Set<String> = []

  /// The argument with a name, or `nil` if it is missing or the call erased it.
  subscript(name: String) -> StoredArgument? {
    guard let argument = given[name] ?? bound[name], !argument.isErased else { return nil }
    return argument
  }

  /// The names that have a value.
  var names: [String] {
    Set((bound.arguments + given.arguments).map(\.name)).sorted().filter { self[$0] != nil }
  }

  // MARK: Errors

  func missing(_ name: String, expected: String) -> LedgerError {
    LedgerError(
      .argumentMissing,
      "\(handler): the mandatory argument \(name) (\(expected)) is missing. \(both) Give it with the call, or bind it before."
    )
  }

  func mismatch(
    _ name: String, expected: String, actual: StoredArgument
  ) -> LedgerError {
    let number = NumberType(typeTag: expected) == nil ? nil : actual.literal
    let reason = number.map { ": \($0) does not fit" } ?? ""
    return LedgerError(
      .argumentMismatch,
      "\(handler): the argument \(name) must be of the type \(expected), not \(actual.typeTag)\(reason). \(both)"
    )
  }

  /// - Parameters:
  ///   - call: The known parameters of the code.
  ///   - invalidation: The known parameters of the invalidation code, if it exists.
  func unknown(
    _ name: String, _ call: ArgumentProbe, _ invalidation: ArgumentProbe?
  ) -> LedgerError {
    let others = invalidation.map {
      " The parameters of its invalidation code are: \($0.parameterList)."
    }
    return LedgerError(
      .invalidArgument,
      "\(handler) has no parameter \(name). Its parameters are: \(call.parameterList).\(others ?? "")"
    )
  }

  func undecodable(_ name: String, expected: String, cause: any Error) -> LedgerError {
    LedgerError(
      .decodingFailed,
      "\(handler): the argument \(name) cannot be decoded as \(expected), although it was stored under that name. \(both)",
      cause: cause)
  }

  func refused(cause: any Error) -> LedgerError {
    LedgerError(
      .decodingFailed, "\(handler): its type cannot be decoded from the arguments. \(both)",
      cause: cause)
  }

  /// The error for a type that splits its arguments: a nested value without its own type has no type tag to
  /// compare.
  var takenApart: LedgerError {
    LedgerError(
      .invalidArgument,
      "\(handler): a handler must decode its arguments one by one from a keyed container, as the synthesized init(from:) does. Give nested members a type of their own."
    )
  }

  /// The names and types of the given and the bound arguments.
  private var both: String {
    "Bound: \(bound.summary). Given: \(given.summary)."
  }
}

extension StoredArguments {
  /// The names and types, for errors.
  fileprivate var summary: String {
    guard !arguments.isEmpty else { return "nothing" }
    return arguments.map { $0.isErased ? "\($0.name) erased" : "\($0.name) \($0.typeTag)" }
      .joined(separator: ", ")
  }
}
