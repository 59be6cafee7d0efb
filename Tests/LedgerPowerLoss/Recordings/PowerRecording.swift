import Foundation
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedgerTesting

/// All operations of processes on a disk, from the start of the first to the end of the last.
package struct PowerRecording: Sendable {
  /// Where the ledgers are, their exports and the trace.
  let directory: String
  /// Where ``keep()`` puts all that.
  package let keptDirectory: String
  let operations: [DiskOperation]
  /// The disk before each operation, and at the end.
  let disks: [Disk]
  /// What was acknowledged by ledger, before each operation and at the end.
  let acknowledged: [[String: Acknowledgement]]
  /// Which operations belong to which part of the work.
  let phases: [(name: String, operations: Range<Int>)]
  /// The program that did the work, and checks its remains.
  let worker: String

  /// Removes the directory with the last recording of it; `nil` if it was there before.
  private let temporary: TemporaryDirectory?

  var root: String { directory + "/root" }
  var exports: String { directory + "/exports" }
  /// What the answers told, a line each.
  var answers: String { directory + "/answers" }

  package var operationCount: Int { operations.count }
  package var phaseCount: Int { phases.count }

  private static let directories = ["archives"]

  /// Runs the work under strace.
  ///
  /// - Parameters:
  ///   - seed: Chooses the sizes of what is written.
  ///   - worker: The program `ledger-worker`.
  package static func make(
    seed: UInt64, worker program: String = WorkerProcess.program, flags: [String] = []
  ) async throws -> PowerRecording {
    let temporary = try TemporaryDirectory(in: Scratch.path)
    let directory = temporary.path
    try FileSystem.createDirectory(directory + "/root")
    for name in directories { try FileSystem.createDirectory(directory + "/root/" + name) }
    try FileSystem.createDirectory(directory + "/exports")
    let worker = try WorkerProcess(
      ["power-trial", directory + "/root", directory + "/exports", "\(seed)"] + flags,
      wrapper: [
        Strace.path, "-f", "-q", "-xx", "-s", "16000000", "-o", directory + "/trace", "-e",
        "trace=" + calls.joined(separator: ","),
      ], program: program)
    let lines = await worker.rest()
    guard await worker.end() == .exited(0), lines.last == "phase end" else {
      throw TraceError(text: "the work ended with \(lines.last ?? "nothing")")
    }
    try FileSystem.writeAtomically(Array((directory + "/root").utf8), to: directory + "/place")
    return try PowerRecording(readingFrom: directory, worker: program, temporary)
  }

  /// Every call that changes or syncs a file, the calls that identify the file, and those that start
  /// processes.
  private static let calls = [
    "open", "openat", "creat", "close", "dup", "dup2", "dup3", "fcntl", "lseek", "write", "writev",
    "pwrite64", "pwritev", "pwritev2", "ftruncate", "truncate", "fallocate", "fsync", "fdatasync",
    "sync_file_range", "msync", "sync", "syncfs", "mmap", "mkdir", "mkdirat", "unlink", "unlinkat",
    "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
    "copy_file_range", "sendfile", "splice", "io_uring_enter", "openat2", "clone", "clone3", "fork",
    "vfork", "execve",
  ]

  /// Reads an earlier recording.
  package init(
    readingFrom directory: String, worker: String = WorkerProcess.program
  ) throws {
    try self.init(readingFrom: directory, worker: worker, nil)
  }

  private init(
    readingFrom directory: String, worker: String, _ temporary: TemporaryDirectory?
  ) throws {
    let trace = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory + "/trace")))
    // The trace has the paths that there were when it was made.
    let root = try String(contentsOfFile: directory + "/place", encoding: .utf8)
    let operations = try TraceInterpreter.operations(
      of: trace, root: root, directories: Self.directories)
    self.init(directory: directory, worker: worker, temporary, operations)
    try FileSystem.writeAtomically(Array(answerLines.joined().utf8), to: answers)
  }

  private init(
    directory: String, worker: String, _ temporary: TemporaryDirectory?,
    _ operations: [DiskOperation]
  ) {
    self.directory = directory
    self.worker = worker
    self.temporary = temporary
    keptDirectory =
      temporary == nil ? directory : "\(Scratch.path)/power-loss-\(directory.suffix(12))"
    self.operations = operations
    var disk = Disk(directories: Self.directories)
    var disks = [disk]
    var known: [String: Acknowledgement] = [:]
    var acknowledged = [known]
    var phases: [(name: String, operations: Range<Int>)] = []
    for (index, operation) in operations.enumerated() {
      disk.apply(operation, index: index)
      disks.append(disk)
      if case .say(let line) = operation {
        switch SaidLine(line) {
        case .head(let ledger, let position):
          // Several processes say it, and the last may have seen less.
          known[ledger, default: Acknowledgement()].head = max(known[ledger]?.head ?? 0, position)
        case .did(let ledger): known[ledger, default: Acknowledgement()].answerCount += 1
        case .phase(let name):
          if let last = phases.indices.last {
            phases[last].operations = phases[last].operations.lowerBound..<index
          }
          phases.append((name, index..<operations.count))
        case .other: break
        }
      }
      acknowledged.append(known)
    }
    self.disks = disks
    self.acknowledged = acknowledged
    self.phases = phases.filter { $0.name != "end" }
  }

  /// The lines about events that answers told of, in their order.
  private var answerLines: [String] {
    operations.compactMap { operation in
      guard case .say(let line) = operation, case .did = SaidLine(line) else { return nil }
      return line
    }
  }

  /// The same work on a disk that takes no notice of some syncs.
  package func without(_ isLost: (SyncClass) -> Bool) -> PowerRecording {
    // The numbers of the operations stay, as syncs refer to them.
    PowerRecording(
      directory: directory, worker: worker, temporary,
      operations.map { operation in
        guard case .sync(_, _, let kind) = operation, isLost(kind) else { return operation }
        return .say("")
      })
  }

  /// The kinds of syncs that the work asked for, with how often.
  package var syncClasses: [SyncClass: Int] {
    var counts: [SyncClass: Int] = [:]
    for case .sync(_, _, let kind) in operations { counts[kind, default: 0] += 1 }
    return counts
  }

  /// How often a data file was extended with zeros ahead of its pages.
  package var extensionCount: Int {
    var filesWithPages: Set<FileNumber> = []
    var count = 0
    for case .write(let file, _, let bytes) in operations {
      if bytes.contains(where: { $0 != 0 }) {
        filesWithPages.insert(file)
      } else if filesWithPages.remove(file) != nil {
        // A step may take several writes.
        count += 1
      }
    }
    return count
  }

  /// The moments at which a lost sync of a kind may matter.
  package func window(after kind: SyncClass, count: Int = 25) -> [Int] {
    var window: Set<Int> = []
    for (index, operation) in operations.enumerated() {
      guard case .sync(_, _, kind) = operation else { continue }
      window.formUnion(index + 1...min(index + count, operations.count))
    }
    return window.sorted()
  }

  /// Copies the recording to where no later run removes it.
  package func keep() throws {
    guard !FileManager.default.fileExists(atPath: keptDirectory) else { return }
    try FileManager.default.copyItem(atPath: directory, toPath: keptDirectory)
  }
}
