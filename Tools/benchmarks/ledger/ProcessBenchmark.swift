import Foundation
import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Two processes on one ledger: writing side by side, waking each other, and doing nothing.
enum ProcessBenchmark {
  static func run(_ report: inout Report) async throws {
    try await measureWriters(&report)
    try await measureWakeUp(&report)
    try await measureIdling(&report)
  }

  // MARK: Writing

  private static func measureWriters(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    let ledger = try await Ledger.open(at: path, as: .app, configuration: .asked)
    var alone: [Double] = []
    var together: [Double] = []
    for _ in 0..<3 {
      alone.append(
        try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: .seconds(1)))
      let child = try Child("write", path, "1")
      try child.waitForLine()
      let own = try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: .seconds(1))
      let other = Double(try child.waitForLine()) ?? 0
      together.append((own + other) / (alone.last ?? 1))
    }
    report.add("two processes writing, times one", together.median, .atLeast(0.8))

    try await measureWaits(&report, ledger, path)
    await ledger.close()
  }

  private static func measureWaits(
    _ report: inout Report, _ ledger: Ledger, _ path: String
  ) async throws {
    let commit = try await latencies(ledger, count: 300).median
    var tails: [Double] = []
    var all: [Double] = []
    for _ in 0..<5 {
      let child = try Child("write", path, "4")
      try child.waitForLine()
      let end = MonotonicClock.now + .seconds(3)
      var waits: [Double] = []
      while MonotonicClock.now < end { waits += try await latencies(ledger, count: 10) }
      try child.waitForLine()
      tails.append(waits.quantile(0.999))
      all += waits
    }
    report.add(
      "99.9 % of waits beside a busy process, times half of them", tails.median / all.median,
      .atMost(20),
      "of 5 rounds; half of all below \(rounded(all.median)) us, 99 % below \(rounded(all.quantile(0.99)))"
    )
    report.add(
      "99.9 % of waits beside a busy process, times a commit", tails.median / commit, nil,
      "a commit alone \(rounded(commit)) us")
  }

  private static func latencies(_ ledger: Ledger, count: Int) async throws -> [Double] {
    var latencies: [Double] = []
    for _ in 0..<count {
      latencies.append(
        try await timeAsync { _ = try await ledger.createPromise(of: Void.self) }.inMicroseconds)
    }
    return latencies
  }

  // MARK: Waking

  private static func measureWakeUp(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    let ledger = try await Ledger.open(at: path, as: .appExtension)
    let commit = try await latencies(ledger, count: 300).median
    let child = try Child("wait", path)
    var delays: [Double] = []
    for _ in 0..<200 {
      let promise = try await ledger.createPromise(of: Void.self)
      child.send(promise.id.description)
      try child.waitForLine()
      // The child has reported that it waits. Give it time to fall asleep.
      try await Task.sleep(for: .milliseconds(3))
      let start = MonotonicClock.now
      try await promise.fulfill(())
      let woken = Duration.nanoseconds(Int64(try child.waitForLine()) ?? 0)
      delays.append((woken - start).inMicroseconds)
    }
    report.add(
      "resolve here, wake-up there, times a commit", delays.median / commit, .atMost(3),
      "median \(rounded(delays.median)) us, commit \(rounded(commit)) us")
    await ledger.close()
  }

  // MARK: Idling

  private static func measureIdling(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let child = try Child("idle", directory.path + "/ledger")
    let wakeUps = try await child.wakeUpsPerSecond(for: .seconds(10))
    report.add("wake-ups a second of an idle process", wakeUps, .atMost(2))
  }

  // MARK: The other process

  /// The work of a child process.
  static func runChild(_ arguments: [String]) async throws {
    if arguments[0] == "replay" { return try MemoryBenchmark.runChild(arguments[1]) }
    if arguments[0] == "open" {
      return try await OpenBenchmark.runChild(arguments[1], Array(arguments[2...]))
    }
    if arguments[0] == "extension" { return try await ExtensionBenchmark.runChild(arguments[1]) }
    if arguments[0] == "timers" {
      return try await DueWorkBenchmark.runTimersChild(arguments[1], count: Int(arguments[2]) ?? 0)
    }
    let ledger = try await Ledger.open(at: arguments[1], as: .app, configuration: .asked)
    switch arguments[0] {
    case "write":
      Child.say("ready")
      let seconds = Duration.seconds(Int(arguments[2]) ?? 1)
      let rate = try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: seconds)
      Child.say(String(rate))
    case "wait":
      while let line = readLine(), let id = PromiseID(line) {
        let promise = try ledger.promise(id: id, of: Void.self)
        async let outcome = promise.outcome
        Child.say("waiting")
        _ = try await outcome
        Child.say(String(MonotonicClock.now.clampedNanoseconds))
      }
    default:
      Child.reportWakeUps()
    }
    await ledger.close()
  }
}

/// This program once more, as a child that is killed with its last reference.
final class Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  init(_ arguments: String...) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let options = CommandLine.arguments.filter { $0 == "--without-compaction" }
    process.arguments = ["child"] + arguments + options
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { end() }

  func end() {
    // A child inherits the signals that the thread which starts it blocks, and some threads of the
    // concurrency runtime block the one that asks a process to end.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func closeInputAndWait() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  func send(_ line: String) {
    input.fileHandleForWriting.write(Data((line + "\n").utf8))
  }

  @discardableResult
  func waitForLine() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw BaselineError(status: -2) }
      buffer += data
    }
  }

  /// How often threads of a child wake up that runs ``reportWakeUps()``, and of which nothing is asked.
  func wakeUpsPerSecond(for duration: Duration) async throws -> Double {
    try waitForLine()
    let before = try wakeUpCount()
    try await Task.sleep(for: duration)
    return Double(try wakeUpCount() - before) / (duration / .seconds(1))
  }

  private func wakeUpCount() throws -> Int {
    send("wake-ups")
    return Int(try waitForLine()) ?? 0
  }

  /// The child's side: answers how often its threads have waited for something, until it is told to end.
  static func reportWakeUps() {
    say("ready")
    while readLine() != nil {
      var usage = rusage()
      unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      say(String(usage.ru_nvcsw))
    }
  }
}
