import Foundation
import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedger
import PromiseLedgerTesting

/// The programs, and the directories in which one thread damages ledgers and tries them.
struct Bench: Sendable {
  /// How long a process may give no sign of life, in seconds, and how long it may take in all.
  let timeout: Int
  private let directory: String

  static let programs = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
    .resolvingSymlinksInPath().deletingLastPathComponent()
  private static let tool = programs.appendingPathComponent("promise-ledger").path
  private static let worker = programs.appendingPathComponent("ledger-worker").path

  /// - Parameter directory: Made if it is not there.
  init(in directory: String, timeout: Int) throws {
    self.directory = directory
    self.timeout = timeout
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
  }

  /// Makes a copy of a sample's directory with another data file.
  func prepare(_ file: TreeFile, of sample: Sample, as name: String = "ledger") throws -> String {
    let path = directory + "/" + name
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
    try Sample.copy(sample.path, to: path)
    try Data(file.bytes).write(to: URL(fileURLWithPath: path + Sample.dataFile))
    try AcknowledgedMark.carry(from: sample.path, to: path)
    return path
  }

  /// Keeps a damaged ledger in its state before any attempt.
  static func keep(_ damage: Damage, in place: String) throws {
    let path = place + "/\(damage.seed)"
    try Sample.copy(damage.sample.path, to: path)
    try Data(damage.file.bytes).write(to: URL(fileURLWithPath: path + Sample.dataFile))
    try AcknowledgedMark.carry(from: damage.sample.path, to: path)
  }

  /// Reads with the command as a user runs it.
  func read(_ verb: Verb, _ sample: Sample, at path: String, seed: UInt64) throws -> ProgramRun {
    defer { Self.removeBackup(of: path) }
    return try run([Self.tool] + verb.arguments(of: sample, at: path, seed: seed, timeout: timeout))
  }

  /// Reads with the process alone that the command starts for that, which takes half the time.
  ///
  /// - Returns: The run, and whether it came to its end without a crash.
  func readAlone(
    _ verb: Verb, _ sample: Sample, at path: String, seed: UInt64
  ) throws -> (ProgramRun, isWhole: Bool) {
    defer { Self.removeBackup(of: path) }
    let arguments = verb.arguments(of: sample, at: path, seed: seed, timeout: timeout)
    var run = try run([Self.tool, "@read", "plain", "any"] + arguments)
    let isWhole = run.takeMessages()
    return (run, isWhole)
  }

  private static func removeBackup(of path: String) {
    try? FileManager.default.removeItem(atPath: Verb.backupPath(of: path))
  }

  /// Compacts with the command as a user runs it.
  func compact(at path: String, shrinks: Bool) throws -> ProgramRun {
    let words = [Self.tool, "compact", path, "--apply", "--timeout", "\(timeout)"]
    return try run(words + (shrinks ? ["--shrink"] : []))
  }

  /// Makes a ledger of the intact rest of a damaged one.
  func salvage(_ path: String, to destination: String) throws -> ProgramRun {
    try run([Self.tool, "salvage", path, destination, "--timeout", "\(timeout)"])
  }

  /// Asks for the digests at the last event of the whole sample.
  func digest(_ sample: Sample, at path: String) throws -> ProgramRun {
    try run([Self.tool, "digest", path, "--through", "\(sample.head)"])
  }

  #if Serve
    /// Serves the ledger, and loads the page once.
    ///
    /// - Returns: The run, and the page; `nil` if it did not come as a whole.
    func serve(_ path: String) throws -> (ProgramRun, page: [UInt8]?) {
      var page: [UInt8]?
      let words = [Self.tool, "serve", path, "--timeout", "\(timeout)"]
      let run = try run(words) { address in page = try LoadedPage(address).content }
      return (run, page)
    }
  #endif

  /// Opens the ledger for writing, writes, and closes it.
  func write(at path: String) throws -> ProgramRun {
    try run([Self.worker, "append", path, "of the fuzzer"])
  }

  private func run(
    _ words: [String], _ useFirstLine: ((String) throws -> Void)? = nil
  ) throws -> ProgramRun {
    try ProgramRun(
      words, notesPath: directory + "/notes", limit: .seconds(4 * timeout), useFirstLine)
  }
}
