import Foundation

/// This program once more, as another process that answers line by line.
final class Peer {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  init(_ arguments: [String]) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["peer"] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Ends the process by the end of its input.
  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  func send(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

  @discardableResult
  func waitForLine() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw UnexpectedEnd() }
      buffer += data
    }
  }

  /// In the other process: answers a line.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// Another process ended before its answer.
struct UnexpectedEnd: Error {}
