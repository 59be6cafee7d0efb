import LedgerRuntime

extension String {
  /// The text as it is, if a shell takes it for one word and it is harmless; otherwise in quotes.
  var plainOrQuoted: String {
    isWord && first != "-" ? self : quoted
  }

  /// Whether a shell takes the text for one word, and it is harmless.
  var isWord: Bool {
    !isEmpty && first != "#" && first != "="
      && unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "-_./@:+,%=#".unicodeScalars.contains(scalar)
      }
  }
}

extension PromiseRecord {
  /// The name that people know it by: its key, as it can be given to the tool, or else its label in quotes.
  var nameText: String? { key?.plainOrQuoted ?? label?.quoted }
}

extension HandlerRecord {
  /// The name that people know it by: its key, as it can be given to the tool, or else its label in quotes.
  var nameText: String? { key?.plainOrQuoted ?? label?.quoted }
}

extension Subject {
  var nameText: String? {
    switch self {
    case .promise(let record): record.nameText
    case .handler(let record): record.nameText
    case .session(let record): record.opened.instance.quoted
    }
  }
}
