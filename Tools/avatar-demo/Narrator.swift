import Foundation

/// Says on standard output what its process does, a line at once.
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
