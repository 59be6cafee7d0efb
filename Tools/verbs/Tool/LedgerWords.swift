/// How a command line of this tool names a ledger.
package struct LedgerWords: Sendable {
  /// The argument that names it.
  package let name: String
  /// The options that it needs beside.
  let options: [String]

  package init(_ name: String, options: [String] = []) {
    self.name = name
    self.options = options
  }

  /// The words of a command about the ledger.
  func command(_ verb: String, _ rest: [String]) -> [String] {
    [Program.tool.name, verb, name] + rest + options
  }

  /// The arguments of a verb about a promise or handler in the ledger, for the parser.
  func arguments(_ id: String) -> [String] { options + ["--", name, id] }
}

extension [String] {
  /// The words as a line to paste into a shell.
  var shellLine: String { map(\.shellWord).joined(separator: " ") }
}
