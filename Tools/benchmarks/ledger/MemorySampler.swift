import Foundation
import Synchronization

/// The memory that a process and its children take, looked at every few milliseconds while they run.
///
/// The pages of the ledger's file that are mapped do not count: the system has them in its cache anyway, and
/// takes them back when it needs memory. So this is the sum of the anonymous pages (`RssAnon` of
/// `/proc/PID/status`), which only Linux tells. A peak that is shorter than a look may be missed.
final class MemorySampler: Sendable {
  private static let pause = 0.002

  private let peak = Mutex(0)
  private let isOver = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(of process: pid_t) {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let sum = Self.byteCount(of: process)
        peak.withLock { $0 = max($0, sum) }
        Thread.sleep(forTimeInterval: Self.pause)
      }
      hasEnded.signal()
    }
  }

  /// Ends the looking.
  ///
  /// - Returns: The peak in bytes; 0 if the system does not tell.
  func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    hasEnded.wait()
    return peak.withLock { $0 }
  }

  private static func byteCount(of process: pid_t) -> Int {
    let folder = "/proc/\(process)"
    let children = text("\(folder)/task/\(process)/children")
      .split(separator: " ").compactMap { pid_t($0) }
    let line = text("\(folder)/status").split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    let kibibytes = line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    return (kibibytes << 10) + children.reduce(0) { $0 + byteCount(of: $1) }
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
