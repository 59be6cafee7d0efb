import LedgerModel
public import LedgerRuntime

/// Replays recordings with this build, and finds where it makes something else of them.
///
/// ```swift
/// var handlers = HandlerRegistry()
/// try handlers.register(FulfilOrder.self) { shop }
/// let report = try await Replayer(handlers).replay(["Tests/Recordings/order.jsonl"])
/// #expect(report.divergences.isEmpty)
/// ```
///
/// It rebuilds each ledger in memory, compares the digests of states with the recorded ones, and checks that
/// every open handler and all pending work can be run: that the kinds are registered, that arguments have the
/// types of parameters, and that recorded steps have the types that ``expect(_:of:toReturn:)`` names. No code
/// of handlers or work is run.
public struct Replayer: Sendable {
  /// The configuration of the sessions that check what can be run. Its clock, its generator of ids, its runner
  /// and its compaction are replaced.
  public var configuration: LedgerConfiguration

  /// The maximum number of shorter prefixes that ``minimized(_:)`` tries to prove that none of them fails.
  public var maximumProofCount = 1_000

  private var steps: [StepExpectation] = []

  /// Makes a replayer.
  ///
  /// - Parameter handlers: The kinds of handlers and work that this build knows.
  public init(_ handlers: HandlerRegistry = HandlerRegistry()) {
    configuration = LedgerConfiguration()
    configuration.handlers = handlers
  }

  /// Names the type that the code of work gives to a step, so that recorded steps of other types are found.
  public mutating func expect<Work: LedgerWork, Value: Sendable>(
    _ step: String, of work: Work.Type, toReturn value: Value.Type
  ) {
    steps.append(StepExpectation(step, of: work, returns: value))
  }

  /// Replays recordings, each for itself.
  ///
  /// An archive without digests is only replayed: see ``ReplayReport/File/comparedDigestCount``.
  ///
  /// - Parameter paths: The paths of recordings, or of other archives that make whole ledgers; at least one.
  /// - Returns: The divergences and the coverage of all of them.
  /// - Throws: `LedgerError` with `invalidArgument` if there is no path, because nothing would be compared; `notFound`,
  ///   `permissionDenied` or `ioFailure` if a file cannot be read.
  /// - Complexity: O(recordings) in time; the largest one is kept in memory.
  public func replay(_ paths: [String]) async throws -> ReplayReport {
    guard !paths.isEmpty else {
      throw LedgerError(
        .invalidArgument, "There is no recording to replay. Check the pattern that finds the files."
      )
    }
    var report = ReplayReport()
    for path in paths {
      let (rebuilt, replay): (RebuiltRecording, RecordingReplay)
      do throws(LedgerError) {
        rebuilt = try RebuiltRecording(path)
        replay = try RecordingReplay(rebuilt)
      } catch {
        report.add([try RecordingDivergence(ofFile: error)], in: path)
        continue
      }
      report.coverage.formUnion(replay.coverage)
      report.add(
        try await divergences(of: rebuilt, replay), in: path,
        comparedDigestCount: replay.comparedDigestCount)
    }
    return report
  }

  /// Finds the shortest prefix of a recording that diverges as the whole does: in the same way, at the same promise,
  /// handler or session, as the first divergence of the whole.
  ///
  /// - Returns: `nil` if nothing diverges.
  /// - Throws: `LedgerError` if the file cannot be read, or is damaged.
  /// - Complexity: O(commits) replays, at most ``maximumProofCount`` and a few.
  public func minimized(_ path: String) async throws -> MinimalRecording? {
    let rebuilt = try RebuiltRecording(path)
    guard let first = try await divergences(of: rebuilt).first else { return nil }
    let folded = try rebuilt.ledger.snapshotSummary().position
    let ends = try rebuilt.ledger.commitEnds().filter { $0 >= folded }
    let search = try await ShortestPrefix(of: ends.count, trying: maximumProofCount) { index in
      try await divergences(of: try rebuilt.cut(after: ends[index]))
        .contains { $0.kind == first.kind && $0.subject == first.subject }
    }
    let shortest = try rebuilt.cut(after: ends[search.index])
    return MinimalRecording(
      position: ends[search.index], divergences: try await divergences(of: shortest),
      isProven: search.isProven, bytes: try shortest.bytes())
  }

  // MARK: Divergences

  private func divergences(of rebuilt: RebuiltRecording) async throws -> [RecordingDivergence] {
    try await divergences(of: rebuilt, try RecordingReplay(rebuilt))
  }

  private func divergences(
    of rebuilt: RebuiltRecording, _ replay: RecordingReplay
  ) async throws -> [RecordingDivergence] {
    try await replay.divergences
      + runnability(of: rebuilt).map { divergence in
        divergence.around(try divergence.position.map(replay.context) ?? [])
      }
  }

  /// Opens the rebuilt ledger in memory, and checks what this build can run.
  private func runnability(of rebuilt: RebuiltRecording) async throws -> [RecordingDivergence] {
    let state = try LedgerState.replayed(from: rebuilt.ledger)
    let store = InMemoryEventStore(
      ledgerID: rebuilt.metadata.ledgerID, createdAt: rebuilt.metadata.createdAt, rebuilt.ledger)
    var configuration = configuration
    configuration.clock = ManualLedgerClock(start: state.time)
    configuration.idGenerator = SequentialIDGenerator(seed: .max)
    configuration.runner = .manual
    configuration.automaticCompaction = nil
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .operator,
      configuration: configuration)
    do {
      let found = try await ledger.runnabilityDivergences(
        steps: steps, hasValues: rebuilt.recording?.isRedacted != true)
      await ledger.close()
      return found
    } catch {
      await ledger.close()
      throw error
    }
  }
}

extension RecordingDivergence {
  /// The reason why a file is not a recording that this build can replay.
  ///
  /// - Throws: Any other error.
  fileprivate init(ofFile error: LedgerError) throws(LedgerError) {
    // Archives that make no whole ledger are invalid arguments.
    let damages: [LedgerError.Code] = [.corrupt, .payloadTooLarge, .invalidArgument]
    guard error.code == .incompatibleFormat || damages.contains(error.code) else { throw error }
    let kind: Kind = error.code == .incompatibleFormat ? .newerRecording : .damagedRecording
    self.init(kind, expected: "a whole recording", actual: error.message)
  }
}
