import LedgerSystem
import LedgerWorkerSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A process that checks states, so that a state that ends the process is a finding like others.
struct PowerAuditor {
  struct Answer {
    let kind: String
    let text: String

    init(_ text: String) {
      self.text = text
      kind = text.split(separator: " ").first.map(String.init) ?? "wrong"
    }

    /// Whether a failed assertion or an access outside of the file ended the process; not its alarm, or
    /// a trap of Swift.
    var isEndInLMDB: Bool {
      [SIGABRT, SIGBUS, SIGSEGV].contains { text == "ended \(ChildProcess.Ending.signalled($0))" }
    }
  }

  private let recording: PowerRecording
  private let scratch: String
  private var worker: WorkerProcess?
  private var startCount = 0

  init(_ recording: PowerRecording, scratch: String) {
    self.recording = recording
    self.scratch = scratch
  }

  /// - Parameter isLying: Whether the disk lost data that it had confirmed.
  mutating func answer(
    _ state: String, _ ledger: String, _ acknowledged: UInt64?, isLying: Bool
  ) async throws -> Answer {
    if worker == nil { worker = try await start() }
    guard let worker else { return Answer("ended") }
    let position = acknowledged.map(String.init) ?? "-"
    let line = "\(state) \(ledger) \(position) \(isLying ? "lying" : "honest")"
    if let answer = try await worker.ask(line) { return Answer(answer) }
    self.worker = nil
    return Answer("ended \(await worker.end().map { "\($0)" } ?? "")")
  }

  private mutating func start() async throws -> WorkerProcess {
    startCount += 1
    let references = "\(scratch)/references-\(startCount)"
    try FileSystem.createDirectory(references)
    let worker = try WorkerProcess(
      ["power-audit", recording.root, recording.exports, references],
      program: PowerLossSettings.worker)
    guard let line = await worker.nextLine(), line == "ready" else {
      throw TraceError(text: "the process that looks at states does not start")
    }
    return worker
  }
}
