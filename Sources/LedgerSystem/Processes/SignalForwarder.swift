import LedgerLibC
import Synchronization

/// Forwards the signals that people and systems use to end a program, so that a child that does the
/// work for this process ends with it.
package final class SignalForwarder: Sendable {
  /// The signals that end a program from outside.
  package static let endingSignals: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  private let signals: [Int32]

  /// Holds the signals back. Create it before any other thread starts.
  ///
  /// Signals that this process was told to ignore, as `nohup` does, stay ignored.
  package init() {
    signals = Self.endingSignals.filter { !Self.isIgnored($0) }
    Self.changeMask(SIG_BLOCK, signals)
  }

  /// Forwards the signals that were held back and those that arrive later.
  ///
  /// - Throws: `SystemError` of `pthread_create`.
  package func start(_ send: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    let signals = signals
    guard !signals.isEmpty else { return }
    _ = try SystemThread.start(name: "signals") {
      var set = Self.set(of: signals)
      while true {
        var signal: Int32 = 0
        if unsafe sigwait(&set, &signal) == 0 { send(signal) }
      }
    }
  }

  /// Ends this process by a signal, as the program that started it expects.
  package static func end(by signal: Int32) {
    resetHandler(of: signal)
    changeMask(SIG_UNBLOCK, [signal])
    raise(signal)
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
    #elseif canImport(Musl)
      let handler = unsafe unsafeBitCast(action.__sa_handler.sa_handler, to: Int.self)
    #else
      let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    #endif
    // SIG_IGN, which does not import everywhere.
    return handler == 1
  }

  private static func resetHandler(of signal: Int32) {
    var action = sigaction()
    _ = unsafe sigaction(signal, &action, nil)
  }

  private static func changeMask(_ how: Int32, _ signals: [Int32]) {
    var set = set(of: signals)
    _ = unsafe pthread_sigmask(how, &set, nil)
  }

  private static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
  }
}
