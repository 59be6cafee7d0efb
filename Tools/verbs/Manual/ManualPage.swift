import LedgerRuntime

/// The manual page of the tool, in the macros of man(7).
struct ManualPage {
  private(set) var text = ""
  private let name: String

  init(of help: CommandHelp) {
    name = help.commandName
    let title = Self.escaped(name.uppercased())
    text = ".TH \(title) 1 \"\(Self.date)\" \"\(Self.escaped(name)) \(Ledger.libraryVersion)\"\n"
    add(".SH NAME")
    add("\(Self.escaped(name)) \\- \(Self.escaped(Self.phrase(help.abstract)))")
    add(".SH SYNOPSIS")
    add(".B \(Self.escaped(name))")
    add(".I verb")
    add(Self.escaped("[options]"))
    add(".SH DESCRIPTION")
    add(paragraphs: help.discussion)
    let verbs = (help.subcommands ?? []).filter { $0.commandName != "help" }
    add(".SH VERBS")
    for verb in verbs { add(verb) }
    add(".SH OPTIONS")
    for argument in help.arguments ?? [] where argument.shouldDisplay { add(argument) }
  }

  /// The date of the newest change of the texts.
  private static let date = "2026-11-24"

  // MARK: Parts

  private mutating func add(_ line: String) { text += line + "\n" }

  private mutating func add(_ verb: CommandHelp) {
    add(".SS \(Self.escaped(verb.commandName))")
    add(paragraphs: verb.abstract)
    let arguments = (verb.arguments ?? []).filter(\.shouldDisplay)
    let values = arguments.filter { $0.kind == "positional" }.map { argument in
      let value = "\(argument.value ?? "")\(argument.isRepeating ? " ..." : "")"
      return argument.isOptional ? "[\(value)]" : value
    }
    add(".PP")
    add(".B \(Self.escaped("\(name) \(verb.commandName)"))")
    add(Self.escaped((values + ["[options]"]).joined(separator: " ")))
    if let discussion = verb.discussion {
      add(".PP")
      add(paragraphs: discussion)
    }
    for argument in arguments where !isCommon(argument) {
      add(argument)
    }
  }

  /// Whether every verb has an option, which is described once.
  private func isCommon(_ argument: CommandHelp.Argument) -> Bool {
    argument.names?.contains { ["help", "version"].contains($0.name) } ?? false
  }

  private mutating func add(_ argument: CommandHelp.Argument) {
    add(".TP")
    let names = (argument.names ?? []).map(\.text)
    let value = argument.value.map { names.isEmpty ? $0 : " \($0)" } ?? ""
    add(".B \(Self.escaped(names.joined(separator: ", ") + value))")
    var words = argument.abstract ?? ""
    if let values = argument.allValues, !values.isEmpty, argument.kind != "flag" {
      words += " Values: \(values.joined(separator: ", "))."
    }
    if let value = argument.defaultValue { words += " Default: \(value)." }
    add(Self.escaped(words))
  }

  private mutating func add(paragraphs text: String?) {
    var isFirst = true
    for paragraph in (text ?? "").split(separator: "\n") {
      if !isFirst { add(".PP") }
      isFirst = false
      add(Self.escaped(String(paragraph)))
    }
  }

  // MARK: Words

  /// A sentence without its capital letter and its full stop.
  private static func phrase(_ sentence: String?) -> String {
    guard let sentence, let first = sentence.first else { return "" }
    return first.lowercased() + sentence.dropFirst().trimmingSuffix(".")
  }

  /// A text that roff shows as it is.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "\"": result += "\\(dq"
      case "\n": result += " "
      case _ where !scalar.isASCII:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      default: result.unicodeScalars.append(scalar)
      }
    }
    // At the beginning of a line, these make a request.
    return result.first == "." || result.first == "'" ? "\\&" + result : result
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
  }
}
