import Foundation
import LedgerSystem
import Synchronization

/// Starts the process that reads the ledger, forwards its output, and judges how it ended.
struct ReadingParent: ~Copyable {
  private let child: ChildProcess
  private let watchdog: Watchdog
  private let markFile: String?
  /// Whether the file has been replaced.
  private var isMarked = false
  private let endsWithOutput: Bool
  private var output = StandardOutput()
  /// `nil` without a terminal that shows it.
  private var progress: ProgressLine?
  /// Whether the output so far ends with a line: only then the progress line has a line of its own.
  private var isAtLineStart = true
  private var received: [UInt8] = []
  private var closing = Closing.none
  /// Whether the output was marked as incomplete.
  private var isIncomplete = false
  private var result: Status?
  /// The reason why standard output takes no more; the rest is dropped.
  private var failure: Status.Failure?

  /// Runs a command in a child to its end.
  ///
  /// - Parameters:
  ///   - timeout: The longest time that the child may show no sign of life.
  ///   - input: The content of standard input, for a command that reads it.
  ///   - markFile: The file that records how far the output went.
  ///   - endsWithOutput: Whether to end the child once its output can no longer be used.
  static func run(
    _ arguments: [String], timeout: Duration, input: [UInt8]? = nil, markFile: String? = nil,
    endsWithOutput: Bool = true
  ) throws -> Status {
    do {
      return try runChild(arguments, timeout: timeout, input, markFile, endsWithOutput)
    } catch let error as SystemError {
      throw Status.Failure(error)
    }
  }

  private static func runChild(
    _ arguments: [String], timeout: Duration, _ input: [UInt8]?, _ markFile: String?,
    _ endsWithOutput: Bool
  ) throws -> Status {
    // A link stays, and what it leads to is replaced.
    let markFile = try markFile.map { try OutputFile.target(of: $0) }
    let signals = SignalForwarder()
    var environment = ProcessInfo.processInfo.environment
    // The child exists so that it can crash. A backtrace is of no use.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let child = try ChildProcess(
      ReadingChild.commandLine(
        isStyled: StandardOutput.isStyled, lineLimit: Terminal.width(of: STDOUT_FILENO),
        arguments),
      environment: environment.map { "\($0)=\($1)" })
    try signals.start { child.send(signal: $0) }
    let watchdog = Watchdog(timeout) { child.send(signal: SIGKILL) }
    try watchdog.start()
    // A child that has ended by now does not read it; its end is judged below.
    if let input { try? child.write(StandardInput.framed(input)) }
    var parent = ReadingParent(
      child: child, watchdog: watchdog, markFile: markFile, endsWithOutput: endsWithOutput)
    return parent.handThrough()
  }

  private init(
    child: ChildProcess, watchdog: Watchdog, markFile: String?, endsWithOutput: Bool
  ) {
    self.endsWithOutput = endsWithOutput
    self.child = child
    self.watchdog = watchdog
    self.markFile = markFile
    if StandardError.canDraw { progress = ProgressLine(start: .now) }
  }

  private mutating func handThrough() -> Status {
    while case let bytes = child.read(), !bytes.isEmpty {
      received += bytes
      watchdog.pause { takeMessages() }
    }
    let ending = child.wait()
    watchdog.stop()
    clearProgress()
    if failure == nil { flush() }
    // A reader that has seen enough does not make a change a success.
    if let failure, endsWithOutput || failure.status != .fine { return say(failure) }
    if let result, case .exited = ending { return result }
    return judge(ending)
  }

  // MARK: Messages

  private mutating func takeMessages() {
    do throws(ChildMessage.Malformed) {
      while let message = try ChildMessage.take(from: &received) { take(message) }
    } catch {
      close(with: closing.incomplete)
      fail(
        Status.Failure(
          .corrupt, "The process that reads the ledger sent an invalid message. \(Self.advice)"))
    }
    if failure == nil { flush() }
  }

  private mutating func take(_ message: ChildMessage) {
    if case .progress(let done, let total) = message { return draw(done, of: total) }
    if message != .alive { clearProgress() }
    switch message {
    case .data where failure != nil: break
    case .data(let bytes):
      do { try output.write(bytes) } catch { fail(error) }
      if let last = bytes.last { isAtLineStart = last == UInt8(ascii: "\n") }
    case .note(let text):
      flush()
      // A note is about output that is no longer read.
      if failure == nil { StandardError.note(text) }
    case .closing(let closing): self.closing = closing
    case .alive, .progress: break
    case .end(let status): result = status
    case .mark(let bytes): mark(bytes)
    }
  }

  /// Draws the progress line, after the output that it would otherwise stand beside.
  private mutating func draw(_ done: UInt64, of total: UInt64) {
    guard failure == nil, isAtLineStart, let line = progress?.draw(done, of: total, at: .now) else {
      return
    }
    flush()
    StandardError.draw(line)
  }

  private mutating func clearProgress() {
    if let line = progress?.clear() { StandardError.draw(line) }
  }

  /// Replaces the file that records how far the output went. Output that could not be written is not recorded,
  /// so that the next run prints it again.
  private mutating func mark(_ bytes: [UInt8]) {
    if failure == nil { flush() }
    guard failure == nil, let markFile else { return }
    if !isMarked { OutputFile.removeUnfinished(markFile) }
    isMarked = true
    do throws(SystemError) {
      var file = try AtomicFile(markFile)
      try file.write(bytes)
      try file.finish()
    } catch {
      fail(Status.Failure(.systemFailure, "The cursor cannot be written: \(error)"))
    }
  }

  private mutating func flush() {
    do { try output.flush() } catch { fail(error) }
  }

  /// Notes that the output can no longer be used, which ends a child that only reads.
  private mutating func fail(_ error: any Error) {
    guard failure == nil else { return }
    failure = Status.Failure(error) ?? Status.Failure(.systemFailure, "\(error)")
    if endsWithOutput { child.send(signal: SIGKILL) }
  }

  // MARK: Ends

  private static let advice =
    "The ledger is most likely damaged: verify it, and restore it from a copy."

  private mutating func judge(_ ending: ChildProcess.Ending) -> Status {
    switch ending {
    case .signalled(let signal)
    where SignalForwarder.endingSignals.contains(signal) && !watchdog.hasBitten:
      close(with: closing.interrupted)
    default: close(with: closing.incomplete)
    }
    switch ending {
    case _ where watchdog.hasBitten:
      let (status, advice) = Program.tool.silence
      return say(
        Status.Failure(
          status,
          "The process that reads the ledger made no progress for \(watchdog.timeout) and was ended. \(advice)"
        ))
    case .signalled(let signal) where SignalForwarder.endingSignals.contains(signal):
      if isIncomplete { StandardError.note("Interrupted. The output is incomplete.") }
      SignalForwarder.end(by: signal)
      return .systemFailure
    case .signalled(let signal) where Self.crashes.contains(signal):
      let crash = "Reading the ledger crashed (signal \(signal))"
      if let lack = ResourceProbe.lack {
        return say(Status.Failure(.systemFailure, "\(crash). \(lack)"))
      }
      return say(Status.Failure(.corrupt, "\(crash). \(Self.advice)"))
    case .signalled(let signal):
      return say(
        Status.Failure(
          .systemFailure, "The process that reads the ledger was killed (signal \(signal))."))
    case .exited(let code):
      return say(
        Status.Failure(
          .systemFailure,
          "The process that reads the ledger ended without a result (exit code \(code))."))
    }
  }

  /// Completes the output that has arrived, and notes whether it is marked as incomplete.
  private mutating func close(with text: String) {
    guard failure == nil, !text.isEmpty else { return }
    do { try output.write(Array(text.utf8)) } catch { fail(error) }
    flush()
    isIncomplete = text == closing.incomplete
    closing = .none
  }

  private static let crashes = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP]

  private func say(_ failure: Status.Failure) -> Status {
    let failure = isIncomplete ? failure.leavingOutputIncomplete : failure
    if let message = failure.message { StandardError.note(message) }
    return failure.status
  }
}
