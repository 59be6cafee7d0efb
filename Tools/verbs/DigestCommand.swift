import ArgumentParser
import LedgerRuntime

/// `promise-ledger digest`: a digest that represents all events.
struct DigestCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Prints a SHA-256 of all events, to compare with one recorded elsewhere.",
    discussion: """
      Two ledgers with the same events have the same log digest, even if a compaction deleted \
      some of them. The state digest identifies the state that the events make; folding and \
      deleting events does not change it, but removing records does. Later events change the \
      digests, and a compaction writes events, too. To compare with an earlier digest, give its \
      position to --through. The state digest is left out if the state at that position can no \
      longer be rebuilt. If events after that position were deleted, the exit code is 3. With \
      --expect, the exit code is 1 if the log digest does not match.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(help: ArgumentHelp("Leave out events after this position.", valueName: "position"))
  var through: UInt64?

  @Option(help: ArgumentHelp("The expected log digest.", valueName: "digest"))
  var expect: DigestArgument?

  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let digests = try inspector.digests(
      through: through.map(Position.init(rawValue:)), progress: sink.progress(through: inspector))
    var report = Report()
    report.add("ledger", "ledger", inspector.id.description)
    report.add("position", "position", digests.position.rawValue)
    report.add("log digest", "logDigest", digests.log.description)
    if let state = digests.state { report.add("state digest", "stateDigest", state.description) }
    try report.write(as: output.format, to: sink)
    if let expect, expect.bytes != digests.log.bytes {
      throw Status.Failure(.findings, "The log digest does not match the expected one.")
    }
  }
}
