import Foundation
import LedgerSystem
import PromiseLedgerTesting

/// A run of the built command, such as `log --follow --format json`, that a test sends signals to.
///
/// They end it also where the tests run in the background, and ignore them themselves.
final class FollowingRun {
  private let directory: TemporaryDirectory
  private let process: ChildProcess
  private(set) var output = ""
  private(set) var notes = ""
  private(set) var childID: Int32 = 0

  /// Follows the log of a ledger.
  convenience init(_ path: String, _ options: String...) throws {
    try self.init(["log", path, "--follow", "--format", "json"] + options)
  }

  /// - Parameter variables: More variables of the environment, or others.
  init(
    _ arguments: [String], of program: URL = CommandRun.program, _ variables: [String: String] = [:]
  ) throws {
    directory = try TemporaryDirectory()
    var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    environment["NOTES"] = directory.path + "/notes"
    // The shell becomes the program.
    process = try ChildProcess(
      ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>\"$NOTES\"", program.path] + arguments,
      environment: environment.map { "\($0)=\($1)" }, resetsSignals: true)
  }

  deinit {
    // A zombie process would make the thread of Swift Testing that waits for exit tests spin.
    process.send(signal: SIGKILL)
    _ = process.wait()
  }

  struct EndedEarly: Error {}

  /// Reads until the text was printed. The child is running then.
  func waitForOutput(_ text: String) throws {
    while !output.contains(text) {
      let bytes = process.read()
      guard !bytes.isEmpty else { throw EndedEarly() }
      output += String(decoding: bytes, as: UTF8.self)
    }
    let path = "/proc/\(process.id)/task/\(process.id)/children"
    let children = try String(contentsOfFile: path, encoding: .utf8)
    childID = children.split(separator: " ").first.flatMap { Int32($0) } ?? 0
    guard childID > 0 else { throw EndedEarly() }
  }

  func signalChild(_ signal: Int32) { kill(childID, signal) }
  func signal(_ signal: Int32) { process.send(signal: signal) }

  /// The exit code, or the negative number of the signal that ended the process.
  func end() throws -> Int32 {
    let isOver = WakeSemaphore()
    // A command that does not end by itself fails its test, and does not hang it.
    _ = try SystemThread.start(name: "following-run") { [process] in
      if !isOver.wait(timeout: .seconds(60)) { process.send(signal: SIGKILL) }
    }
    defer { isOver.signal() }
    while case let bytes = process.read(), !bytes.isEmpty {
      output += String(decoding: bytes, as: UTF8.self)
    }
    notes = try String(contentsOfFile: directory.path + "/notes", encoding: .utf8)
    switch process.wait() {
    case .exited(let code): return code
    case .signalled(let signal): return -signal
    }
  }
}
