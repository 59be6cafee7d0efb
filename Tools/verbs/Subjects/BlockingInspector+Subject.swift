import LedgerRuntime

extension BlockingInspector {
  /// Finds a subject. Before it reports that there is none, it checks that the ledger is intact:
  /// the record may be on a damaged page.
  func subject(_ name: SubjectName, _ sink: any TextSink) throws -> Subject {
    try withSubject(name, sink) { _, subject in subject }
  }

  /// Runs `body` on a subject and the state that it is from.
  func withSubject<R>(
    _ name: SubjectName, _ sink: any TextSink, _ body: (ReplayedLedger, Subject) throws -> R
  ) throws -> R {
    try withNames(sink) { replayed in
      try body(replayed, try name.find(in: replayed) { try? sink.alive() })
    }
  }

  /// Runs `body`, which looks for names, on the state. Before it reports that a name is missing, it checks that
  /// the ledger is intact.
  func withNames<R>(_ sink: any TextSink, _ body: (ReplayedLedger) throws -> R) throws -> R {
    do {
      return try withReplay(progress: sink.progress(through: self), body)
    } catch {
      if let failure = Status.Failure(error), failure.status == .notFound, !failure.isAmbiguity {
        try requireWhole { try? sink.alive() }
      }
      throw error
    }
  }
}
