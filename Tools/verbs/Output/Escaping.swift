extension Unicode.Scalar {
  /// Whether it may control a terminal or be invisible to a reader: controls (a line feed, an
  /// escape), invisible format characters (such as those that change the direction of writing),
  /// separators of lines and paragraphs.
  var isTreacherous: Bool {
    // Most texts are of these, and the general category of a scalar is slow to find.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// The text with every treacherous character written as its number in braces: `\u{1B}`.
  package var escapingControlCharacters: String {
    guard unicodeScalars.contains(where: { $0.isTreacherous }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isTreacherous {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// A message of several lines, made harmless. Line feeds that come from the command line are
  /// distinguished from those of the message.
  func escapingLines(echoing arguments: [String]) -> String {
    // An option's value may be echoed without its name.
    let echoes = arguments.flatMap { argument in
      [argument, argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""]
    }
    let message = echoes.filter { $0.contains("\n") }.reduce(self) { message, echo in
      message.replacing(echo, with: echo.escapingControlCharacters)
    }
    return message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).escapingControlCharacters }.joined(separator: "\n")
  }

  /// The text in double quotes, as Swift would write it.
  var quoted: String {
    var marked = self
    if utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }) {
      marked = replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
    return "\"\(marked.escapingControlCharacters)\""
  }
}
