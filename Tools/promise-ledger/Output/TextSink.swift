/// Where a command's output and notes go.
protocol TextSink: AnyObject {
  /// Whether a person reads the output who may like colours.
  var isStyled: Bool { get }

  func write(_ bytes: [UInt8]) throws

  /// Hands on what was gathered.
  func flush() throws

  /// Says what makes the output whole should the command end here.
  func setClosing(_ closing: Closing) throws

  /// Says something on standard error.
  func note(_ text: String) throws

  /// Shows that the command goes on although it has nothing to say.
  func alive() throws
}

extension TextSink {
  func write(_ text: String) throws { try write(Array(text.utf8)) }
}
