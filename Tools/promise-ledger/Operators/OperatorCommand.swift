import ArgumentParser
import PromiseLedger

/// A command that changes a promise, in a session with the role operator.
protocol OperatorCommand: LedgerCommand {
  var promise: PromiseOptions { get }
  var confirmation: ConfirmationOptions { get }
  var output: FormatOptions { get }

  /// The change, in words that follow "This will".
  var intention: String { get }

  /// The change, to be made in a session.
  ///
  /// - Parameter record: The promise before the change.
  func change(of record: PromiseRecord) throws -> OperatorChange
}

/// A change by an operator.
typealias OperatorChange = @Sendable (Ledger) async throws -> OperatorAnswer

extension OperatorCommand {
  /// Asks for confirmation, in the process that has the terminal.
  func confirm() throws {
    try confirmation.confirm("This will \(intention) in \(reading.path).")
  }

  func perform(_ sink: any TextSink) throws {
    // The inspector does not create a missing ledger.
    let inspector = try reading.open()
    let subject = try inspector.subject(promise.subjectName(), sink)
    inspector.close()
    guard case .promise(let record) = subject else {
      throw Status.Failure(.usage, "\(subject.id) is no promise. Give the id of a promise.")
    }
    let answer = try run(change(of: record), sink)
    guard let record = answer.record else { throw answer.failure }
    var report = Report()
    report.add("done", "done", answer.words)
    report.add(record)
    try report.write(as: output.format, to: sink)
  }

  /// Makes the change in a session of its own.
  private func run(
    _ change: @escaping OperatorChange, _ sink: any TextSink
  ) throws -> OperatorAnswer {
    let work = try BackgroundWork<OperatorAnswer, Never> { [path = reading.path] _ in
      try await Ledger.withOperator(at: path, change)
    }
    // Opening and writing may each have to wait for another writer before that becomes an error.
    let patience = LedgerConfiguration().writerStallTimeout * 2
    return try work.wait(every: reading.pulseInterval, for: patience, sink.alive) { _ in }
  }
}
