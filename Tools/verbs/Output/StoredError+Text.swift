import LedgerRuntime

extension StoredError {
  /// The members of a JSON object that describe the error.
  var members: [String: JSONValue] {
    var members: [String: JSONValue] = ["domain": .string(domain), "message": .string(message)]
    members["code"] = code.map(JSONValue.integer)
    members["failureReason"] = failureReason.map(JSONValue.string)
    members["recoverySuggestion"] = recoverySuggestion.map(JSONValue.string)
    let underlying = underlyingErrors.map { JSONValue.object($0.members) }
    if !underlying.isEmpty { members["underlyingErrors"] = .array(underlying) }
    return members
  }

  /// Its facts besides the message, in lines with their titles.
  var details: [(title: String, text: String)] {
    var lines: [(title: String, text: String)] = []
    if let failureReason { lines.append(("reason", failureReason)) }
    if let recoverySuggestion { lines.append(("suggestion", recoverySuggestion)) }
    for error in underlyingErrors {
      lines.append(("underlying", error.description))
      lines += error.details
    }
    return lines
  }
}
