import LedgerLibC

/// Processes that stand still, as when their host is suspended.
package enum StoppedProcess {
  /// Stops this process until another one continues it.
  package static func stopThis() { raise(SIGSTOP) }

  /// Continues a process.
  package static func resume(_ id: Int32) { kill(id, SIGCONT) }
}
