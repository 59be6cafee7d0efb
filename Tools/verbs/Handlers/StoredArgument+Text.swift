import LedgerRuntime

extension StoredArgument {
  /// The argument in a line of a table.
  var words: String {
    guard !isErased else { return "erases \(name.escapingControlCharacters)" }
    return "\(name.escapingControlCharacters): \(valueWords)"
  }

  /// Its value and type for people.
  var valueWords: String {
    let value = payload.isEmpty ? "" : "\(ContentText(payload).words) "
    return "\(value)(\(typeTag.escapingControlCharacters))"
  }

  /// The argument as JSON.
  var member: JSONValue {
    guard !isErased else { return .object(["isErased": .bool(true)]) }
    let content = ContentText(payload)
    return .object([
      "typeTag": .string(typeTag), content.jsonName(for: "value"): .string(content.text),
    ])
  }
}

extension StoredArguments {
  /// The arguments by name, as JSON.
  var json: JSONValue { .object(Dictionary(arguments.map { ($0.name, $0.member) }) { $1 }) }
}
