import ArgumentParser
import PromiseLedger

/// `promise-ledger digest`: a number that stands for all events.
struct DigestCommand: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Prints a SHA-256 of all events, to be compared with one written down elsewhere.",
    discussion: """
      Two ledgers with the same events have the same digest. With --expect the exit code is 1 if \
      the digest is another.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(help: ArgumentHelp("Leave out events after this position.", valueName: "position"))
  var through: UInt64?

  @Option(help: ArgumentHelp("The log digest that there must be.", valueName: "digest"))
  var expect: DigestArgument?

  @OptionGroup var output: FormatOptions

  func read(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let digest = try inspector.logDigest(
      through: through.map(Position.init(rawValue:)), progress: { _ in try? sink.alive() })
    var report = Report()
    report.add("ledger", "ledger", inspector.id.description)
    report.add("position", "position", digest.position.rawValue)
    report.add("log digest", "logDigest", digest.description)
    try report.write(as: output.format, to: sink)
    if let expect, expect.bytes != digest.bytes {
      throw Status.Failure(.findings, "The log digest is not the expected one.")
    }
  }
}
