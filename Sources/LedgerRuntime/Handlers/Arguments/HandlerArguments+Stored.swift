extension HandlerArguments {
  /// The arguments in the form that an event stores.
  ///
  /// - Parameters:
  ///   - handler: The handler's name in errors.
  ///   - ledger: The ledger that the promises and handlers among them must be in.
  ///   - limit: The maximum total size of all values, in bytes.
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`.
  func stored(
    for handler: CodeName, in ledger: LedgerID, limit: Int
  ) throws(LedgerError) -> ArgumentSet {
    var arguments: [StoredArgument] = []
    var names: Set<String> = []
    var references = ReferenceCollector.References()
    var byteCount = 0
    for entry in entries {
      guard names.insert(entry.name).inserted else {
        throw LedgerError(
          .invalidArgument,
          "\(handler): the argument \(entry.name) is given twice. Give each name once.")
      }
      switch entry.content {
      case .value(let encoded):
        byteCount += encoded.payload.count
        guard byteCount <= limit else {
          throw .tooLarge(entry.name, encoded.payload.count, of: handler, limit: limit)
        }
        references.formUnion(encoded.references)
        arguments.append(
          StoredArgument(
            name: entry.name, typeTag: encoded.typeTag, payload: encoded.payload))
      case .absent:
        continue
      case .erased:
        arguments.append(.erasing(entry.name))
      case .failure(let error):
        throw LedgerError(
          .encodingFailed, "\(handler): the argument \(entry.name) cannot be encoded.",
          cause: error)
      }
    }
    guard references.ledgers.isSubset(of: [ledger]) else {
      throw LedgerError(
        .invalidArgument,
        "\(handler): a promise or handler among the arguments belongs to another ledger.")
    }
    return try ArgumentSet(
      checking: StoredArguments(arguments),
      references: HandlerReferences(
        promises: references.promises, handlers: references.handlers))
  }
}

extension ArgumentSet {
  /// These arguments, and those of `older` that they neither replace nor erase.
  func merged(over older: ArgumentSet) throws(LedgerError) -> ArgumentSet {
    let names = Set(arguments.arguments.map(\.name))
    let kept = older.arguments.arguments.filter { !names.contains($0.name) }
    let given = arguments.arguments.filter { !$0.isErased }
    return try ArgumentSet(
      checking: StoredArguments(kept + given),
      references: HandlerReferences(
        promises: Set(older.references.promises.filter { $0.entityID.stands(in: kept) })
          .union(references.promises),
        handlers: Set(older.references.handlers.filter { $0.entityID.stands(in: kept) })
          .union(references.handlers)))
  }

  /// The arguments to bind, without the names that are only marked as erased.
  func withoutErased() throws(LedgerError) -> ArgumentSet {
    try ArgumentSet(
      checking: StoredArguments(arguments.arguments.filter { !$0.isErased }),
      references: references)
  }
}

extension EntityID {
  /// Whether a payload contains the text of the id, as which a promise or handler is encoded.
  fileprivate func stands(in arguments: [StoredArgument]) -> Bool {
    let text = Array(description.utf8)
    return arguments.contains { $0.payload.firstRange(of: text) != nil }
  }
}

extension LedgerError {
  fileprivate static func tooLarge(
    _ name: String, _ byteCount: Int, of handler: CodeName, limit: Int
  ) -> LedgerError {
    LedgerError(
      .payloadTooLarge,
      "\(handler): with the argument \(name) (\(byteCount) bytes) the arguments have more than \(limit) bytes. Store it elsewhere and its name here, or raise the limit."
    )
  }
}
