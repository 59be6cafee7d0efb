import ArgumentParser
import PromiseLedger

/// `promise-ledger digest`: a digest that represents all events.
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

  @Option(help: ArgumentHelp("The expected log digest.", valueName: "digest"))
  var expect: DigestArgument?

  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let digests = try inspector.digests(through: through.map(Position.init(rawValue:))) { _ in
      try? sink.alive()
    }
    var report = Report()
    report.add("ledger", "ledger", inspector.id.description)
    report.add("position", "position", digests.position.rawValue)
    report.add("log digest", "logDigest", digests.log.description)
    if let state = digests.state { report.add("state digest", "stateDigest", state.description) }
    try report.write(as: output.format, to: sink)
    if let expect, expect.bytes != digests.log.bytes {
      throw Status.Failure(.findings, "The log digest is not the expected one.")
    }
  }
}
