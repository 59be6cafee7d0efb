import Foundation
import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// The tool on a ledger of a million events, of which as many are not folded as sessions leave so.
struct ToolBenchmark {
  private static let promiseCount = 345_000
  /// Just fewer events than those after which a session compacts.
  private static let unfoldedPromiseCount = 16_500
  private static let kind = HistoryWriter.Kind(pendingEvery: 100)

  private let tool: URL
  private let directory: TemporaryDirectory
  private let writer: HistoryWriter
  private let subject: PromiseID
  private var path: String { directory.path + "/ledger" }

  static func run(_ report: inout Report) throws {
    let tool = Bundle.main.bundleURL.appending(path: "promise-ledger")
    guard FileManager.default.isExecutableFile(atPath: tool.path) else {
      report.miss("promise-ledger is not built: run swift build -c release first")
      return
    }
    let benchmark = try ToolBenchmark(tool)
    try benchmark.measureQuickVerbs(&report)
    try benchmark.measureFollowing(&report)
    try benchmark.measureServing(&report)
    try benchmark.measureReport(&report)
    benchmark.writer.store.close()
  }

  private init(_ tool: URL) throws {
    self.tool = tool
    directory = try TemporaryDirectory.onDisk()
    writer = try HistoryWriter(at: directory.path + "/ledger")
    let foldedCount = Self.promiseCount - Self.unfoldedPromiseCount
    let ids = try writer.write(0..<foldedCount, Self.kind)
    try writer.fold()
    try writer.write(foldedCount..<Self.promiseCount, Self.kind)
    guard let live = ids.live else { throw CocoaError(.fileReadUnknown) }
    subject = live
  }

  // MARK: Verbs

  private func measureQuickVerbs(_ report: inout Report) throws {
    let count = try writer.store.head().rawValue
    let verbs: [(String, [String], lineCount: Int?)] = [
      ("log | head", ["log", path], 10), ("show", ["show", path, "\(subject)"], nil),
      ("explain", ["explain", path, "\(subject)"], nil), ("the overview", [path], nil),
    ]
    var peak = 0
    for (name, arguments, lineCount) in verbs {
      var times: [Double] = []
      for _ in 0..<5 { times.append(try run(arguments, lineCount, &peak) / 1e6) }
      report.add(
        "\(name) of a million events, seconds", times.median, .atMost(0.3),
        "\(count) events, the slowest \(rounded(times.max() ?? .nan))")
    }
    report.add("these, MiB of memory", Double(peak) / 1_048_576, .atMost(200))
  }

  /// The time of one run in microseconds, of which some lines of the output are read, or all.
  private func run(
    _ arguments: [String], _ lineCount: Int?, _ peak: inout Int
  ) throws -> Double {
    let (process, output) = try start(arguments)
    let start = MonotonicClock.now
    try process.run()
    let memory = MemorySampler(of: process.processIdentifier)
    defer { peak = max(peak, memory.end()) }
    try output.fileHandleForWriting.close()
    if let lineCount {
      var lines = Lines(output.fileHandleForReading)
      for _ in 0..<lineCount { _ = lines.next() }
      try output.fileHandleForReading.close()
    } else {
      _ = output.fileHandleForReading.readDataToEndOfFile()
    }
    process.waitUntilExit()
    return (MonotonicClock.now - start).inMicroseconds
  }

  private func start(_ arguments: [String]) throws -> (Process, Pipe) {
    let process = Process()
    let output = Pipe()
    process.executableURL = tool
    process.arguments = arguments
    process.standardOutput = output
    return (process, output)
  }

  // MARK: Following

  private func measureFollowing(_ report: inout Report) throws {
    let head = try writer.store.head().rawValue
    let (process, output) = try start([
      "log", path, "--follow", "--after", "\(head)", "--format", "jsonl",
    ])
    try process.run()
    try output.fileHandleForWriting.close()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    var lines = Lines(output.fileHandleForReading)
    var times: [Double] = []
    for number in 0..<50 {
      // A promise that stays pending is one event.
      try writer.write(0..<1, Self.kind)
      let start = MonotonicClock.now
      guard lines.next() != nil else { return report.miss("log --follow ended") }
      // The first one waits until the tool has started.
      if number > 0 { times.append((MonotonicClock.now - start).inMicroseconds / 1_000) }
    }
    report.add(
      "log --follow shows an event, milliseconds", times.max() ?? .nan, .atMost(100),
      "the slowest of \(times.count); half of them below \(rounded(times.median))")
  }

  /// The time from the commit of another process until a page of `serve` was told of it.
  private func measureServing(_ report: inout Report) throws {
    let (process, output) = try start(["serve", path])
    try process.run()
    try output.fileHandleForWriting.close()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    var addresses = Lines(output.fileHandleForReading)
    guard let line = addresses.next() else { return report.miss("serve ended") }
    let (reader, told) = try startReader(of: String(decoding: line, as: UTF8.self))
    defer { reader.terminate() }
    var lines = Lines(told.fileHandleForReading)
    // What is written before the reader has the page is part of that, and not told.
    guard lines.next() != nil else { return report.miss("the feed of serve ended") }
    var times: [Double] = []
    for number in 0..<50 {
      try writer.write(0..<1, Self.kind)
      let start = MonotonicClock.now
      repeat {
        guard let line = lines.next() else { return report.miss("the feed of serve ended") }
        if String(decoding: line, as: UTF8.self).contains("promiseCreated") { break }
      } while true
      if number > 0 { times.append((MonotonicClock.now - start).inMicroseconds / 1_000) }
    }
    report.add(
      "serve shows an event, milliseconds", times.max() ?? .nan, .atMost(100),
      "the slowest of \(times.count); half of them below \(rounded(times.median))")
  }

  /// Starts curl on the feed of a page, after loading the page.
  private func startReader(of address: String) throws -> (Process, Pipe) {
    let script = """
      place=$(curl -fsS "$1" | grep -ao '"place":"[0-9-]*"' | cut -d '"' -f 4)
      exec curl -fsSN -H "Authorization: Bearer ${1##*=}" -H "Last-Event-ID: $place" "${1%%\\?*}feed"
      """
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh", address]
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
    return (process, output)
  }

  // MARK: The page

  private func measureReport(_ report: inout Report) throws {
    let page = directory.path + "/page.html"
    let (process, _) = try start(["report", path, "-o", page])
    let start = MonotonicClock.now
    try process.run()
    let memory = MemorySampler(of: process.processIdentifier)
    process.waitUntilExit()
    let seconds = (MonotonicClock.now - start).inMicroseconds / 1e6
    let peak = Double(memory.end()) / 1_048_576
    guard process.terminationStatus == 0 else {
      report.miss("promise-ledger report ended with \(process.terminationStatus)")
      return
    }
    let byteCount = try FileManager.default.attributesOfItem(atPath: page)[.size] as? Int ?? 0
    report.add(
      "report of a million events, seconds", seconds, .atMost(10),
      "a page of \(byteCount >> 20) MiB")
    report.add("report of a million events, MiB of memory", peak, .atMost(200))
  }
}

/// The lines of a pipe, as they come.
private struct Lines {
  private let file: FileHandle
  private var received = Data()

  init(_ file: FileHandle) { self.file = file }

  /// The next line; `nil` at the end.
  mutating func next() -> Data? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received = Data(received[received.index(after: end)...]) }
        return received[..<end]
      }
      let bytes = file.availableData
      if bytes.isEmpty { return nil }
      received += bytes
    }
  }
}
