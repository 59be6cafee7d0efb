import Foundation
import LedgerSystem
import Synchronization

/// Starts the process that reads the ledger, forwards its output, and judges how it ended.
struct ReadingParent: ~Copyable {
  private let child: ChildProcess
  private let watchdog: Watchdog
  private var output = StandardOutput()
  private var received: [UInt8] = []
  private var closing = Closing.none
  /// Whether the output was marked as incomplete.
  private var isIncomplete = false
  private var result: Status?
  /// The reason why standard output takes no more; the rest is dropped.
  private var failure: Status.Failure?

  /// Runs a command in a child to its end.
  ///
  /// - Parameter timeout: The longest time that the child may show no sign of life.
  static func run(_ arguments: [String], timeout: Duration) throws -> Status {
    do {
      return try runChild(arguments, timeout: timeout)
    } catch let error as SystemError {
      throw Status.Failure(error)
    }
  }

  private static func runChild(_ arguments: [String], timeout: Duration) throws -> Status {
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
    var parent = ReadingParent(child: child, watchdog: watchdog)
    return parent.handThrough()
  }

  private init(child: ChildProcess, watchdog: Watchdog) {
    self.child = child
    self.watchdog = watchdog
  }

  private mutating func handThrough() -> Status {
    while case let bytes = child.read(), !bytes.isEmpty {
      received += bytes
      watchdog.pause { takeMessages() }
    }
    let ending = child.wait()
    watchdog.stop()
    if failure == nil { flush() }
    if let failure { return say(failure) }
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
    switch message {
    case .data(let bytes):
      do { try output.write(bytes) } catch { fail(error) }
    case .note(let text):
      flush()
      StandardError.note(text)
    case .closing(let closing): self.closing = closing
    case .alive: break
    case .end(let status): result = status
    }
  }

  private mutating func flush() {
    do { try output.flush() } catch { fail(error) }
  }

  /// Ends the child, because its output can no longer be used.
  private mutating func fail(_ error: any Error) {
    guard failure == nil else { return }
    failure = Status.Failure(error) ?? Status.Failure(.systemFailure, "\(error)")
    child.send(signal: SIGKILL)
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
      return say(
        Status.Failure(
          .corrupt,
          "The process that reads the ledger made no progress for \(watchdog.timeout) and was ended. The disk may be slow, or the ledger may be damaged: raise --timeout, and if that does not help, verify the ledger."
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
