/// The destination of a command's output and notes.
protocol TextSink: AnyObject {
  /// Whether to use colours in the output.
  var isStyled: Bool { get }

  /// The number of columns of the terminal, or the usual number.
  var width: Int { get }

  /// The number of columns that lines must fit into; `nil` unless the output goes to a terminal.
  var lineLimit: Int? { get }

  func write(_ bytes: [UInt8]) throws

  /// Passes on the collected output.
  func flush() throws

  /// Sets the text that completes the output if the command ends here.
  func setClosing(_ closing: Closing) throws

  /// Prints a note on standard error.
  func note(_ text: String) throws

  /// Shows that the command is still running although it has no output.
  func alive() throws
}

extension TextSink {
  func write(_ text: String) throws { try write(Array(text.utf8)) }
}
