import CLedgerSystem

/// Distinguishes a process from every other one, including a later one that gets the same id.
package struct ProcessIdentity: Sendable, Hashable {
  /// Stands for a start of the machine that the system does not report.
  package static let unknownBoot = "-"

  /// The start of the machine, as the system names it.
  package let boot: String
  /// The process id.
  package let id: Int32
  /// The time when the process started: clock ticks since the machine started on Linux,
  /// microseconds since 1970 on Apple platforms; 0 where the system does not report it.
  package let startTime: UInt64

  package init(boot: String, id: Int32, startTime: UInt64) {
    self.boot = boot
    self.id = id
    self.startTime = startTime
  }

  /// This process.
  package static var current: ProcessIdentity {
    // Read each time, because a forked child has its own id.
    let id = ThisProcess.id
    return ProcessIdentity(
      boot: readBoot(), id: id, startTime: ThisProcess.startTime(of: id) ?? 0)
  }

  /// Whether the process still runs: the machine has not restarted, and a process with that id
  /// started at that time.
  ///
  /// Facts that the system does not report, about the process or now, are not compared. So a
  /// process that is gone may count as running, but only while another one has its id.
  package var isRunning: Bool { isRunning(sinceBoot: Self.readBoot()) }

  /// Whether the process still runs, if this is the present start of the machine.
  package func isRunning(sinceBoot current: String) -> Bool {
    let isOfEarlierBoot =
      boot != current && boot != Self.unknownBoot && current != Self.unknownBoot
    guard !isOfEarlierBoot, ThisProcess.isAlive(id) else { return false }
    guard startTime != 0, let start = ThisProcess.startTime(of: id) else { return true }
    return start == startTime
  }

  /// The present start of the machine. It is not cached, because a process that has too many files
  /// open cannot read it for a while.
  private static func readBoot() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let bytes = appleBootSession ?? (try? FileSystem.readPrefix(path, maximumBytes: 36)) ?? []
    let name = String(decoding: bytes, as: UTF8.self)
    return isBootName(name) ? name : unknownBoot
  }

  private static var appleBootSession: [UInt8]? {
    var buffer = [CChar](repeating: 0, count: 64)
    guard unsafe cledger_boot_session(&buffer, buffer.count) else { return nil }
    return buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
  }

  private static func isBootName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 36 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

extension ProcessIdentity: LosslessStringConvertible {
  /// The start of the machine, the process id and the start of the process, separated by spaces.
  package var description: String { "\(boot) \(id) \(startTime)" }

  /// Parses a ``description``.
  package init?(_ description: String) {
    let fields = description.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 3, Self.isBootName(String(fields[0])), let id = Int32(fields[1]), id > 0,
      let startTime = UInt64(fields[2])
    else { return nil }
    self.init(boot: String(fields[0]), id: id, startTime: startTime)
    // Only one spelling is valid.
    guard self.description == description else { return nil }
  }
}
