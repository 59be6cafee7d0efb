import Logging
import Synchronization

/// Where diagnostics go: to one sink for the whole process.
///
/// ```swift
/// PromiseDiagnostics.setSink { diagnostic in metrics.count("\(diagnostic.kind)") }
/// ```
/// Unless another is set, each is a warning of swift-log under the label `LedgerPromises`.
public enum PromiseDiagnostics: Sendable {
  /// Takes each diagnostic, on the thread where it arose and with no lock held. It must not block.
  public typealias Sink = @Sendable (PromiseDiagnostic) -> Void

  /// In a struct because a bare closure that is read through the lock's `inout` is wrapped once more each
  /// time, until calling it overflows the stack.
  private struct Installed {
    var sink: Sink
  }

  private static let current = Mutex(Installed(sink: logSink))
  private static let logger = Logger(label: "LedgerPromises")

  /// Logs a warning with the file and line that created the promise.
  public static let logSink: Sink = { diagnostic in
    logger.warning(
      "\(diagnostic)",
      metadata: ["file": "\(diagnostic.file)", "line": "\(diagnostic.line)"])
  }

  /// Replaces the sink and returns the former one.
  @discardableResult
  public static func setSink(_ sink: @escaping Sink) -> Sink {
    current.withLock { current in
      let former = current.sink
      current.sink = sink
      return former
    }
  }

  static func report(_ kind: PromiseDiagnostic.Kind, at site: SourceSite) {
    let sink = current.withLock { $0.sink }
    sink(PromiseDiagnostic(kind: kind, file: "\(site.file)", line: site.line))
  }
}
