import ArgumentParser
import PromiseLedger

/// `promise-ledger digest`: a number that stands for all events.
struct DigestCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Prints a SHA-256 of all events, to be compared with one written down elsewhere.",
    discussion: """
      Two ledgers with the same events have the same log digest, also if compaction deleted some of \
      them since. The state digest is that of what the events came to; folding and deleting events \
      leaves it as it is. What is written later changes them, and compaction writes, too: the session \
      that does it, and what it removed and folded. Records that it removed leave the state. To \
      compare with a digest of earlier, give its position to --through. The state digest is then left \
      out if that state cannot be rebuilt any more; if events after that position were deleted, the \
      exit code is 3. With --expect the exit code is 1 if the log digest is another.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(help: ArgumentHelp("Leave out events after this position.", valueName: "position"))
  var through: UInt64?

  @Option(help: ArgumentHelp("The log digest that there must be.", valueName: "digest"))
  var expect: DigestArgument?

  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let (digest, state) = try digests(of: inspector, sink)
    var report = Report()
    report.add("ledger", "ledger", inspector.id.description)
    report.add("position", "position", digest.position.rawValue)
    report.add("log digest", "logDigest", digest.description)
    if let state { report.add("state digest", "stateDigest", state.description) }
    try report.write(as: output.format, to: sink)
    if let expect, expect.bytes != digest.bytes {
      throw Status.Failure(.findings, "The log digest is not the expected one.")
    }
  }

  private func digests(
    of inspector: LedgerInspector, _ sink: any TextSink
  ) throws -> (LogDigest, StateDigest?) {
    let alive = { _ = try? sink.alive() }
    let progress = { (_: Position) in alive() }
    if let through {
      let position = Position(rawValue: through)
      let digest = try inspector.logDigest(through: position, progress: progress)
      do throws(LedgerError) {
        let replayed = try inspector.state(at: position, progress: progress)
        return (digest, try replayed.digest(progress: alive))
      } catch {
        guard error.code == .eventsCompacted else { throw error }
        return (digest, nil)
      }
    }
    return try inspector.retryingWhileCompacted {
      let replayed = try inspector.replay(progress: progress)
      let state = try replayed.digest(progress: alive)
      return (try inspector.logDigest(through: replayed.position, progress: progress), state)
    }
  }
}
