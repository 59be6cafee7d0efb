import PromiseLedger

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
    let alive = { (_: Position) -> Void in try? sink.alive() }
    do {
      return try withReplay(progress: alive) { replayed in
        try body(replayed, try name.find(in: replayed) { try? sink.alive() })
      }
    } catch {
      if Status.Failure(error)?.status == .notFound {
        try requireWhole { try? sink.alive() }
      }
      throw error
    }
  }
}
