import Foundation
package import LedgerSystem

/// A running `ledger-worker`, or another program of its kind.
///
/// A separate thread reads its lines, and its end comes as a callback, so that no test blocks one
/// of Swift's few threads.
package final class WorkerProcess: Sendable {
  package let processID: Int32
  private let child: ChildProcess
  private let lines = LineQueue()
  private let ending = Promised<ChildProcess.Ending>()

  /// The location of the worker: beside the program that runs the tests.
  package static let program = directory + "/ledger-worker"

  /// The location of the worker that needs libpq.
  package static let programOnPostgreSQL = directory + "/ledger-postgresql-worker"

  private static let directory: String = {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let directory = (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      let directory = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
        .resolvingSymlinksInPath().deletingLastPathComponent()
    #endif
    return directory.path
  }()

  /// Starts the worker.
  ///
  /// - Parameters:
  ///   - wrapper: A program that runs it, with its arguments.
  ///   - program: A worker other than the one beside the tests.
  ///   - variables: More variables of its environment.
  package init(
    _ arguments: [String], wrapper: [String] = [], program: String = WorkerProcess.program,
    variables: [String: String] = [:]
  ) throws {
    var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let child = try ChildProcess(
      wrapper + [program] + arguments, environment: environment.map { "\($0)=\($1)" },
      resetsSignals: true)
    self.child = child
    processID = child.id
    _ = try SystemThread.start(name: "worker-output") { [lines, ending] in
      while case let bytes = child.read(), !bytes.isEmpty { lines.add(bytes) }
      lines.end()
      ending.fulfill(child.wait())
    }
  }

  deinit { send(signal: SIGKILL) }

  /// The next line that it prints, or `nil` after the last.
  package func nextLine() async -> String? { await lines.next() }

  /// All the lines that are left.
  package func rest() async -> [String] {
    var rest: [String] = []
    while let line = await nextLine() { rest.append(line) }
    return rest
  }

  package func send(_ line: String) throws { try child.write(Array((line + "\n").utf8)) }

  /// Sends a command and waits for its answer.
  package func ask(_ line: String) async throws -> String? {
    try send(line)
    return await nextLine()
  }

  package func closeInput() { child.closeInput() }

  /// Sends a signal, unless the process has ended.
  package func send(signal: Int32) { child.send(signal: signal) }

  /// Waits for its end; `nil` when the test's time is over.
  package func end() async -> ChildProcess.Ending? { await ending.get() }
}
