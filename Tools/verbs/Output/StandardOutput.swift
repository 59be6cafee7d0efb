import Foundation

/// Standard output: text is gathered and written in large pieces.
struct StandardOutput {
  /// The reader has closed the pipe, as `head` does. That is no failure.
  struct Closed: Error {}

  /// The output could not be written.
  struct Failure: Error, CustomStringConvertible {
    let reason: String
    var description: String { "The output cannot be written: \(reason)." }
  }

  private static let pieceSize = 1 << 16
  private var gathered = Data()

  /// Lets a write to a closed pipe fail instead of ending the process.
  static func makeClosedPipeAnError() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Whether to use colours: the output goes to a terminal, and `NO_COLOR` is not set.
  static var isStyled: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// The number of columns of output that does not go to a terminal.
  static let usualWidth = 80

  mutating func write(_ bytes: [UInt8]) throws {
    gathered.append(contentsOf: bytes)
    if gathered.count >= Self.pieceSize { try flush() }
  }

  mutating func flush() throws {
    guard !gathered.isEmpty else { return }
    defer { gathered.removeAll(keepingCapacity: true) }
    try Self.writeNow(gathered)
  }

  static func writeNow(_ data: Data) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      let cause = systemError(error)
      if let cause, cause.code == Int(EPIPE) { throw Closed() }
      throw Failure(reason: cause?.localizedFailureReason ?? error.localizedDescription)
    }
  }

  /// The system error behind a Foundation error.
  private static func systemError(_ error: any Error) -> NSError? {
    let error = error as NSError
    if error.domain == NSPOSIXErrorDomain { return error }
    return (error.userInfo[NSUnderlyingErrorKey] as? any Error).flatMap(systemError)
  }
}

/// The output of a command that does its work in this process.
final class DirectOutput: TextSink {
  private var output = StandardOutput()

  var isStyled: Bool { StandardOutput.isStyled }
  var width: Int { StandardOutput.usualWidth }
  var lineLimit: Int? { nil }
  var input: [UInt8] { [] }
  func write(_ bytes: [UInt8]) throws { try output.write(bytes) }
  func flush() throws { try output.flush() }
  func setClosing(_ closing: Closing) {}
  func note(_ text: String) throws {
    try flush()
    StandardError.note(text)
  }
  func alive() {}
  func progress(_ done: UInt64, of total: UInt64) {}
  func mark(_ bytes: [UInt8]) throws { try flush() }
}
