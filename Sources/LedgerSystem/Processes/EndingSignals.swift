import CLedgerSystem
import LedgerLibC

/// The signals by which people and systems end a program, for programs that have to clean up first.
package enum EndingSignals {
  /// Notes signals from now on, instead of letting them end this process.
  ///
  /// A signal that comes a moment later is noted, too, whatever this process is doing.
  package static func note(_ signals: [Int32] = [SIGINT, SIGTERM]) {
    for signal in signals { cledger_note_signal(signal) }
  }

  /// Whether one of them has come.
  package static var haveCome: Bool { cledger_signal_came() }
}
