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

  /// What to check.
  struct Question {
    /// The directory with the contents of the disk.
    let place: String
    let ledger: String
    let acknowledged: Acknowledgement
    /// The position up to which the words that processes share say that all is durable, if they have reached
    /// the disk.
    let mark: UInt64?
    /// Whether the disk lost data that it had confirmed.
    let isLying: Bool

    fileprivate var line: String {
      let head = acknowledged.head.map(String.init) ?? "-"
      let mark = mark.map(String.init) ?? "-"
      return
        "\(place) \(ledger) \(head) \(acknowledged.answerCount) \(mark) \(isLying ? "lying" : "honest")"
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

  mutating func answer(_ question: Question) async throws -> Answer {
    if worker == nil { worker = try await start() }
    guard let worker else { return Answer("ended") }
    if let answer = try await worker.ask(question.line) { return Answer(answer) }
    self.worker = nil
    return Answer("ended \(await worker.end().map { "\($0)" } ?? "")")
  }

  private mutating func start() async throws -> WorkerProcess {
    startCount += 1
    let references = "\(scratch)/references-\(startCount)"
    try FileSystem.createDirectory(references)
    let worker = try WorkerProcess(
      ["power-audit", recording.root, recording.exports, recording.answers, references],
      program: recording.worker)
    guard let line = await worker.nextLine(), line == "ready" else {
      throw TraceError(text: "the process that looks at states does not start")
    }
    return worker
  }
}
