import Foundation

/// Prints the actions of its process on standard output, line by line without delay.
struct Narrator: Sendable {
  private let prefix: String

  init(_ name: String) {
    let process = "\(name) \(ProcessInfo.processInfo.processIdentifier)"
    prefix = process.padding(toLength: max(18, process.count), withPad: " ", startingAt: 0)
  }

  func callAsFunction(_ line: String) {
    FileHandle.standardOutput.write(Data("\(prefix) \(line)\n".utf8))
  }
}
