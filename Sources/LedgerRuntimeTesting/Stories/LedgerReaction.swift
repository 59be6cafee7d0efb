import LedgerModel
public import LedgerRuntime

/// What a command of a test did: its events, and its answer or its error.
///
/// ``LedgerTester/when(_:fileID:line:)`` returns it. An expectation must follow: ``then(_:fileID:line:)``,
/// ``thenNothing(fileID:line:)``, ``expectRefused(_:fileID:line:)``, or ``ignoringEvents()``.
public struct LedgerReaction<Answer: Sendable>: Sendable {
  let tester: LedgerTester
  let number: Int
  let events: [EventLine]
  let names: EntityNames
  /// The last event of the reaction.
  let end: Position
  let result: Result<Answer, any Error>

  /// The answer of the command.
  ///
  /// - Throws: The error of the command.
  public var answer: Answer { get throws { try result.get() } }

  /// Expects exactly these events, in this order, from all processes, and no error.
  ///
  /// - Throws: ``EventDifference`` if there were others; the error of the command.
  @discardableResult
  public func then(
    _ expected: ExpectedEvent..., fileID: String = #fileID, line: Int = #line
  ) throws -> Self {
    try check(expected, fileID, line)
  }

  /// Expects no events and no error: the command was a repetition, only looked, or answered with a refusal.
  ///
  /// - Throws: As ``then(_:fileID:line:)``.
  @discardableResult
  public func thenNothing(fileID: String = #fileID, line: Int = #line) throws -> Self {
    try check([], fileID, line)
  }

  /// Expects these events, in this order, among any others, and no error.
  ///
  /// - Throws: As ``then(_:fileID:line:)``.
  @discardableResult
  public func thenAmongOthers(
    _ expected: ExpectedEvent..., fileID: String = #fileID, line: Int = #line
  ) throws -> Self {
    guard begin() else { return self }
    _ = try result.get()
    guard tester.checksExpectations else { return self }
    if let difference = difference(expected, allowsOthers: true, fileID, line) {
      throw difference
    }
    return self
  }

  /// Expects that the command throws a `LedgerError` with this code, and that there are no events.
  ///
  /// Refusals that a program must expect, such as `PromiseResolution.alreadyResolved`, are answers: look at
  /// ``answer`` after ``thenNothing(fileID:line:)``.
  ///
  /// - Throws: ``RefusalDifference`` if it threw another error, or none; ``EventDifference`` if there were
  ///   events.
  @discardableResult
  public func expectRefused(
    _ code: LedgerError.Code, fileID: String = #fileID, line: Int = #line
  ) throws -> Self {
    guard begin() else { return self }
    let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
    let isRefused = (error as? LedgerError)?.code == code
    guard tester.checksExpectations else {
      // In a program that is started again, the command may be right.
      if let error, !isRefused { throw error }
      return self
    }
    guard isRefused else {
      throw RefusalDifference(
        expected: code, actual: error, place: "\(fileID):\(line)")
    }
    if let difference = difference([], fileID, line) { throw difference }
    return self
  }

  /// Leaves the events open. An error of the command is thrown.
  ///
  /// - Throws: The error of the command.
  @discardableResult
  public func ignoringEvents() throws -> Self {
    guard begin() else { return self }
    _ = try result.get()
    return self
  }

  /// Calls `body` with the state after the command.
  ///
  /// The state follows from the events, so this does not replace an expectation of these.
  ///
  /// - Throws: Any error of `body`; `LedgerError` with `invalidArgument` if no process runs that could read
  ///   the ledger.
  @discardableResult
  public func expectState(_ body: (ReplayedLedger) throws -> Void) async throws -> Self {
    guard tester.checksExpectations else { return self }
    let running = tester.processes.first { $0.condition == .running }
    guard let running else {
      throw LedgerError(.invalidArgument, "No process runs that could read the state.")
    }
    try body(try await running.ledger.state(at: end))
    return self
  }

  // MARK: Checking

  private func check(_ expected: [ExpectedEvent], _ fileID: String, _ line: Int) throws -> Self {
    guard begin() else { return self }
    _ = try result.get()
    guard tester.checksExpectations else { return self }
    let expected = SkippedExpectation.remaining(expected)
    if let difference = difference(expected, fileID, line) { throw difference }
    return self
  }

  /// Notes that an expectation follows the command.
  ///
  /// - Returns: Whether it is there; a test of expectations leaves one out.
  private func begin() -> Bool {
    guard !SkippedExpectation.takesPlace() else { return false }
    tester.closeReaction(number)
    return true
  }

  private func difference(
    _ expected: [ExpectedEvent], allowsOthers: Bool = false, _ fileID: String, _ line: Int
  ) -> EventDifference? {
    EventDifference.between(
      expected, events, names, allowsOthers: allowsOthers, at: "\(fileID):\(line)")
  }
}
