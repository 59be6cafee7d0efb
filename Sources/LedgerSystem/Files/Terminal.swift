internal import CLedgerSystem

/// Facts about the terminal that a file descriptor may refer to.
package enum Terminal {
  /// The number of its columns; `nil` if it is not a terminal, or does not tell.
  package static func width(of descriptor: Int32) -> Int? {
    let width = Int(cledger_terminal_width(descriptor))
    return width > 0 ? width : nil
  }
}
