import Foundation
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedgerTesting

/// All operations of a process on a disk, from its start to its end.
struct PowerRecording: Sendable {
  /// Where the ledgers are, their exports and the trace.
  let directory: String
  /// Where ``keep()`` puts all that.
  let keptDirectory: String
  let operations: [DiskOperation]
  /// The disk before each operation, and at the end.
  let disks: [Disk]
  /// The acknowledged positions by ledger, before each operation and at the end.
  let acknowledged: [[String: UInt64]]
  /// Which operations belong to which part of the work.
  let phases: [(name: String, operations: Range<Int>)]

  /// Removes the directory with the last recording of it; `nil` if it was there before.
  private let temporary: TemporaryDirectory?

  var root: String { directory + "/root" }
  var exports: String { directory + "/exports" }

  private static let directories = ["archives"]

  /// Runs the work under strace.
  static func make(flags: [String] = []) async throws -> PowerRecording {
    let temporary = try TemporaryDirectory(in: Scratch.path)
    let directory = temporary.path
    try FileSystem.createDirectory(directory + "/root")
    for name in directories { try FileSystem.createDirectory(directory + "/root/" + name) }
    try FileSystem.createDirectory(directory + "/exports")
    let worker = try WorkerProcess(
      ["power-trial", directory + "/root", directory + "/exports"] + flags,
      wrapper: [
        Strace.path, "-f", "-q", "-xx", "-s", "16000000", "-o", directory + "/trace", "-e",
        "trace=" + calls.joined(separator: ","),
      ], program: PowerLossSettings.worker)
    let lines = await worker.rest()
    guard await worker.end() == .exited(0), lines.last == "phase end" else {
      throw TraceError(text: "the work ended with \(lines.last ?? "nothing")")
    }
    try FileSystem.writeAtomically(Array((directory + "/root").utf8), to: directory + "/place")
    return try PowerRecording(readingFrom: directory, temporary)
  }

  /// Every call that changes or syncs a file, and the calls that identify the file.
  private static let calls = [
    "open", "openat", "creat", "close", "dup", "dup2", "dup3", "fcntl", "lseek", "write", "writev",
    "pwrite64", "pwritev", "pwritev2", "ftruncate", "truncate", "fallocate", "fsync", "fdatasync",
    "sync_file_range", "msync", "sync", "syncfs", "mmap", "mkdir", "mkdirat", "unlink", "unlinkat",
    "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
    "copy_file_range", "sendfile", "splice", "io_uring_enter", "openat2",
  ]

  /// Reads an earlier recording.
  init(readingFrom directory: String, _ temporary: TemporaryDirectory? = nil) throws {
    let trace = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory + "/trace")))
    var reader = TraceReader()
    // The trace has the paths that there were when it was made.
    let root = try String(contentsOfFile: directory + "/place", encoding: .utf8)
    var interpreter = TraceInterpreter(root: root, directories: Self.directories)
    var begins: [String: Int] = [:]
    for line in trace.split(separator: UInt8(ascii: "\n")) {
      switch try reader.read(line) {
      case .other: break
      case .begin(let thread): begins[thread] = interpreter.operations.count
      case .call(let call, let beganBefore):
        let now = interpreter.operations.count
        try interpreter.add(call, begin: beganBefore ? begins[call.thread] ?? now : now)
      }
    }
    self.init(directory: directory, temporary, interpreter.operations)
  }

  private init(
    directory: String, _ temporary: TemporaryDirectory?, _ operations: [DiskOperation]
  ) {
    self.directory = directory
    self.temporary = temporary
    keptDirectory =
      temporary == nil ? directory : "\(Scratch.path)/power-loss-\(directory.suffix(12))"
    self.operations = operations
    var disk = Disk(directories: Self.directories)
    var disks = [disk]
    var known: [String: UInt64] = [:]
    var acknowledged = [known]
    var phases: [(name: String, operations: Range<Int>)] = []
    for (index, operation) in operations.enumerated() {
      disk.apply(operation, index: index)
      disks.append(disk)
      if case .say(let line) = operation {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.first == "head", words.count == 3 { known[words[1]] = UInt64(words[2]) }
        if words.first == "phase", words.count == 2 {
          if let last = phases.indices.last {
            phases[last].operations = phases[last].operations.lowerBound..<index
          }
          phases.append((words[1], index..<operations.count))
        }
      }
      acknowledged.append(known)
    }
    self.disks = disks
    self.acknowledged = acknowledged
    self.phases = phases.filter { $0.name != "end" }
  }

  /// The same work on a disk that takes no notice of some syncs.
  func without(_ isLost: (SyncClass) -> Bool) -> PowerRecording {
    // The numbers of the operations stay, as syncs refer to them.
    PowerRecording(
      directory: directory, temporary,
      operations.map { operation in
        guard case .sync(_, _, let kind) = operation, isLost(kind) else { return operation }
        return .say("")
      })
  }

  /// The kinds of syncs that the work asked for, with how often.
  var syncClasses: [SyncClass: Int] {
    var counts: [SyncClass: Int] = [:]
    for case .sync(_, _, let kind) in operations { counts[kind, default: 0] += 1 }
    return counts
  }

  /// The moments at which a lost sync of a kind may matter.
  func window(after kind: SyncClass, count: Int = 25) -> [Int] {
    var window: Set<Int> = []
    for (index, operation) in operations.enumerated() {
      guard case .sync(_, _, kind) = operation else { continue }
      window.formUnion(index + 1...min(index + count, operations.count))
    }
    return window.sorted()
  }

  /// Puts the recording where no later run removes it.
  func keep() throws {
    guard directory != keptDirectory else { return }
    try FileManager.default.moveItem(atPath: directory, toPath: keptDirectory)
  }
}
