import Foundation

/// Compares durable promises with what a user would pick instead, and promises in memory with those of other
/// libraries, in one table.
///
/// `swift run -c release ComparisonBenchmarks [full] [durable] [hand-over] [sizes] [memory]`
@main
enum ComparisonBenchmarks {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "peer" { return try await runPeer(Array(arguments.dropFirst())) }
    let mode = arguments.contains("full") ? Mode.full : .quick
    let parts = ["durable", "hand-over", "sizes", "memory"]
    let modes = ["full", "quick"]
    if let unknown = arguments.first(where: { !(parts + modes).contains($0) }) {
      FileHandle.standardError.write(
        Data("Unknown: \(unknown). Known are \((modes + parts).joined(separator: ", ")).\n".utf8))
      exit(2)
    }
    let chosen = parts.filter(arguments.contains)
    func runs(_ part: String) -> Bool { chosen.isEmpty || chosen.contains(part) }
    Machine.describe()
    let table = Table()
    var short: RateTable?
    if runs("durable") { short = try await DurableComparison(mode: mode, table: table).run() }
    if runs("hand-over") { try await HandOverComparison(mode: mode, table: table).run() }
    if runs("sizes") { try await SizeComparison(mode: mode, table: table).run() }
    if runs("memory") { InMemoryComparison(mode: mode, table: table).run() }
    short?.write()
  }

  private static func runPeer(_ arguments: [String]) async throws {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "durable": try await DurableComparison.runPeer(rest)
    case "hand-over": try await HandOverComparison.runPeer(rest)
    case "open": try await SizeComparison.runPeer(rest)
    default: throw UnexpectedEnd()
    }
  }
}

/// The machine, which the figures depend on.
enum Machine {
  static func describe() {
    let info = ProcessInfo.processInfo
    let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    let busy = load.split(separator: " ").first.map { ", load \($0)" } ?? ""
    print(
      "\(info.operatingSystemVersionString), \(info.activeProcessorCount) processors, \(info.physicalMemory >> 20) MiB\(busy)\n"
    )
  }
}
