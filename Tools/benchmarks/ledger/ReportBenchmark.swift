import Foundation
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// The page that the tool writes about a ledger of a million events.
enum ReportBenchmark {
  private static let promiseCount = 345_000

  static func run(_ report: inout Report) throws {
    let tool = Bundle.main.bundleURL.appending(path: "promise-ledger")
    guard FileManager.default.isExecutableFile(atPath: tool.path) else {
      report.miss("promise-ledger is not built: run swift build -c release first")
      return
    }
    let directory = try TemporaryDirectory.onDisk()
    let writer = try HistoryWriter(at: directory.path + "/ledger")
    try writer.write(0..<promiseCount, HistoryWriter.Kind())
    let count = try writer.store.head().rawValue
    writer.store.close()
    let process = Process()
    process.executableURL = tool
    let page = directory.path + "/page.html"
    process.arguments = ["report", directory.path + "/ledger", "-o", page]
    let clock = ContinuousClock()
    let start = clock.now
    try process.run()
    process.waitUntilExit()
    let seconds = (clock.now - start) / Duration.seconds(1)
    guard process.terminationStatus == 0 else {
      report.miss("promise-ledger ended with \(process.terminationStatus)")
      return
    }
    let byteCount = try FileManager.default.attributesOfItem(atPath: page)[.size] as? Int ?? 0
    let note = "\(count) events, page of \(byteCount >> 20) MiB"
    report.add("report of a million events, seconds", seconds, .atMost(10), note)
    report.add("report of a million events, MiB of memory", peakOfChildren, .atMost(200))
  }

  /// The most memory that a process had which this one started.
  private static var peakOfChildren: Double {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #if os(Linux)
      return Double(usage.ru_maxrss) / 1_024
    #else
      return Double(usage.ru_maxrss) / 1_048_576
    #endif
  }
}
