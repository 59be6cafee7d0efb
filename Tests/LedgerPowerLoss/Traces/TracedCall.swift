/// One system call as strace prints it with `-f -xx`.
struct TracedCall {
  let thread: String
  let name: String
  /// The text between the parentheses; each string is a quotation mark.
  let arguments: [String]
  /// The bytes of the strings.
  let strings: [[UInt8]]
  /// `nil` if the call did not return.
  let result: Int?

  /// The number that an argument is.
  func number(_ index: Int) throws -> Int {
    guard arguments.indices.contains(index), let number = Int(arguments[index]) else {
      throw TraceError(text: "argument \(index) of \(name)(\(arguments)) is no number")
    }
    return number
  }

  func path(_ index: Int) throws -> String {
    guard strings.indices.contains(index) else {
      throw TraceError(text: "\(name)(\(arguments)) has no path \(index)")
    }
    return String(decoding: strings[index], as: UTF8.self)
  }
}

/// A part of a trace that is not understood, so that the recorded effects are unknown.
struct TraceError: Error {
  let text: String
}
