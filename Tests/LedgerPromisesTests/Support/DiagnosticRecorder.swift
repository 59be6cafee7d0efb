import LedgerPromises

/// Takes every diagnostic of the test process; tests find theirs by line.
enum DiagnosticRecorder {
  private static let recorder: Recorder<PromiseDiagnostic> = {
    let recorder = Recorder<PromiseDiagnostic>()
    PromiseDiagnostics.setSink { recorder.record($0) }
    return recorder
  }()

  static func install() {
    _ = recorder
  }

  /// The kinds of the diagnostics about promises created at the given place, as text.
  static func kinds(file: String = #fileID, line: UInt) -> [String] {
    recorder.events.filter { $0.file == file && $0.line == line }.map { name(of: $0.kind) }
  }

  static func diagnostics(file: String = #fileID, line: UInt) -> [PromiseDiagnostic] {
    recorder.events.filter { $0.file == file && $0.line == line }
  }

  /// The kinds of the diagnostics about promises created in a file, as text.
  static func kinds(inFile file: String) -> [String] {
    recorder.events.filter { $0.file == file }.map { name(of: $0.kind) }
  }

  private static func name(of kind: PromiseDiagnostic.Kind) -> String {
    switch kind {
    case .pendingPromiseDropped: "pendingPromiseDropped"
    case .unhandledRejection: "unhandledRejection"
    case .settledTwice: "settledTwice"
    case .settledLate: "settledLate"
    case .waitedOnOwnExecutor: "waitedOnOwnExecutor"
    case .retriedSamePromise: "retriedSamePromise"
    }
  }
}
