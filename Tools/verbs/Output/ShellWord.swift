extension String {
  /// The text as one word of a shell. Treacherous characters are shown by their numbers, so that such a word
  /// must be corrected by hand.
  var shellWord: String {
    isWord ? self : "'\(escapingControlCharacters.replacing("'", with: "'\\''"))'"
  }
}
