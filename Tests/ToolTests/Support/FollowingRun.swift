import Foundation

/// A run of the built command, such as `log --follow --format json`, that a test sends signals to.
final class FollowingRun {
  private let process = Process()
  private let outputPipe = Pipe()
  private let notesPipe = Pipe()
  private(set) var output = ""
  private(set) var notes = ""
  private(set) var childID: Int32 = 0

  /// Follows the log of a ledger.
  convenience init(_ path: String, _ options: String...) throws {
    try self.init(["log", path, "--follow", "--format", "json"] + options)
  }

  init(_ arguments: [String]) throws {
    process.executableURL = CommandRun.program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = outputPipe
    process.standardError = notesPipe
    try process.run()
    try outputPipe.fileHandleForWriting.close()
    try notesPipe.fileHandleForWriting.close()
  }

  struct EndedEarly: Error {}

  /// Reads until the text was printed. The child is there then.
  func waitForOutput(_ text: String) throws {
    while !output.contains(text) {
      let data = outputPipe.fileHandleForReading.availableData
      guard !data.isEmpty else { throw EndedEarly() }
      output += String(decoding: data, as: UTF8.self)
    }
    let path = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
    let children = try String(contentsOfFile: path, encoding: .utf8)
    childID = children.split(separator: " ").first.flatMap { Int32($0) } ?? 0
    guard childID > 0 else { throw EndedEarly() }
  }

  func signalChild(_ signal: Int32) { kill(childID, signal) }
  func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The exit code, or the negative number of the signal that ended the process.
  func end() throws -> Int32 {
    output += String(
      decoding: outputPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    notes = String(decoding: notesPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? process.terminationStatus : -process.terminationStatus
  }
}
