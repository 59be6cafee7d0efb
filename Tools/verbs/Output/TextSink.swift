package import LedgerRuntime

/// The destination of a command's output and notes.
package protocol TextSink: AnyObject {
  /// Whether to use colours in the output.
  var isStyled: Bool { get }

  /// The number of columns of the terminal, or the usual number.
  var width: Int { get }

  /// The number of columns that lines must fit into; `nil` unless the output goes to a terminal.
  var lineLimit: Int? { get }

  /// The content of standard input, for a command that reads it.
  var input: [UInt8] { get }

  func write(_ bytes: [UInt8]) throws

  /// Passes on the collected output.
  func flush() throws

  /// Sets the text that completes the output if the command ends here.
  func setClosing(_ closing: Closing) throws

  /// Prints a note on standard error.
  func note(_ text: String) throws

  /// Shows that the command is still running although it has no output.
  func alive() throws

  /// The same, and how many of the events were looked at.
  func progress(_ done: UInt64, of total: UInt64) throws

  /// Records how far the output goes, in the file that the command names for that, once all output before this
  /// was written.
  func mark(_ bytes: [UInt8]) throws
}

extension TextSink {
  /// A closure that shows how far a walk through the events of a ledger has come.
  package func progress(through inspector: BlockingInspector) -> (Position) -> Void {
    let total = (try? inspector.head)?.rawValue ?? 0
    return { [self] position in try? progress(position.rawValue, of: total) }
  }

  package func write(_ text: String) throws { try write(Array(text.utf8)) }
}
