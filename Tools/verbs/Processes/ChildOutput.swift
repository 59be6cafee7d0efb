import Foundation

/// The output of the child: messages to the process that started it, on standard output.
final class ChildOutput: TextSink {
  private static let pieceSize = 1 << 16

  let isStyled: Bool
  let lineLimit: Int?
  var width: Int { lineLimit ?? StandardOutput.usualWidth }
  var input: [UInt8] = []
  private var gathered: [UInt8] = []

  init(isStyled: Bool, lineLimit: Int?) {
    self.isStyled = isStyled
    self.lineLimit = lineLimit
  }

  func write(_ bytes: [UInt8]) throws {
    gathered += bytes
    if gathered.count >= Self.pieceSize { try flush() }
  }

  func flush() throws {
    var start = 0
    while start < gathered.count {
      let end = min(start + ChildMessage.maximumByteCount, gathered.count)
      try send(.data(Array(gathered[start..<end])))
      start = end
    }
    gathered.removeAll(keepingCapacity: true)
  }

  func setClosing(_ closing: Closing) throws {
    try flush()
    try send(.closing(closing))
  }

  func note(_ text: String) throws {
    try flush()
    try send(.note(text.clipped(to: ChildMessage.maximumByteCount / 8)))
  }

  func alive() throws { try send(.alive) }

  func progress(_ done: UInt64, of total: UInt64) throws {
    try send(.progress(done: done, total: total))
  }

  func mark(_ bytes: [UInt8]) throws {
    try flush()
    try send(.mark(bytes))
  }

  /// Reports that the output is complete.
  func end(_ status: Status) throws {
    try flush()
    try send(.end(status))
  }

  private func send(_ message: ChildMessage) throws {
    try StandardOutput.writeNow(Data(message.encoded))
  }
}
