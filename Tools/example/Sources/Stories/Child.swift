import Foundation
import LedgerPromises

/// This program, started again as a process of its own.
final class Child {
  private let name: String
  private let process = Process()
  private let input = Pipe()
  private var lines: AsyncStream<String>.Iterator
  private let exitCode: Promise<Int32>

  init(_ arguments: String...) throws {
    name = arguments[0]
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    lines = linesOf(output.fileHandleForReading).makeAsyncIterator()
    // Any callback can settle a promise.
    let (exitCode, resolver) = Promise.make(of: Int32.self)
    self.exitCode = exitCode
    process.terminationHandler = { resolver.fulfill($0.terminationStatus) }
    try process.run()
    // A process that hangs is killed, and the line that it did not say fails the example.
    let id = process.processIdentifier
    exitCode.timeout(.seconds(60)).catch { _ in kill(id, SIGKILL) }
  }

  /// Prints the next lines of the process and gives them back, in the order of these texts. That each
  /// text comes in a line, in any order, and no other line, is the check of this example.
  @discardableResult func says(_ texts: String...) async throws -> [String] {
    var said: [String: String] = [:]
    while said.count < texts.count {
      guard let line = await lines.next() else { throw StoryError("\(name) did not say \(texts)") }
      tell(name, line)
      guard let text = texts.first(where: { said[$0] == nil && line.contains($0) }) else {
        throw StoryError("\(name) said something else than \(texts)")
      }
      said[text] = line
    }
    return texts.compactMap { said[$0] }
  }

  /// Gives the process a command.
  func command(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  func suspend() { kill(process.processIdentifier, SIGSTOP) }

  func resume() { kill(process.processIdentifier, SIGCONT) }

  /// Ends the process at once, and waits for its end.
  func die() async throws {
    kill(process.processIdentifier, SIGKILL)
    _ = try await exitCode.value
  }

  /// Lets the process end, which says nothing more.
  func end() async throws {
    try input.fileHandleForWriting.close()
    if let line = await lines.next() { throw StoryError("\(name) also said: \(line)") }
    guard try await exitCode.value == 0 else { throw StoryError("\(name) failed") }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}

/// A story did not go as it should.
struct StoryError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Prints a line of the transcript.
func tell(_ name: String, _ line: String) {
  say(name.padding(toLength: 12, withPad: " ", startingAt: 0) + line)
}

/// The lines that come out of a pipe.
private func linesOf(_ file: FileHandle) -> AsyncStream<String> {
  AsyncStream { continuation in
    Thread.detachNewThread {
      var rest = Data()
      while case let data = file.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }
  }
}
