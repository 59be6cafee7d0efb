import ArgumentParser
import LedgerRuntime

/// `promise-ledger record`: an archive with digests of states.
struct RecordCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records the history of a ledger in a file, for replay.",
    discussion: """
      A recording is an archive with digests of the states that the events lead to, so that replay \
      can tell whether another build reaches the same states. import takes it, too. With --redact, \
      values, labels, tags, scopes, lanes, reasons, texts of errors, keys of steps, idempotency \
      keys, and the names of machines and instances are replaced by others of the same size, or \
      longer ones where short ones would not tell things apart. Equal contents get equal \
      replacements. Keys of promises and handlers are left out. Ids, times, kinds, and the names \
      of types, arguments and steps stay. The id of a promise or handler with a key is a hash of \
      the key: anyone who guesses the key can confirm the guess.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(
    name: .shortAndLong, help: "The file of the recording. Nothing may exist there.",
    completion: .file())
  var output: String

  @OptionGroup var redaction: RedactionOptions

  @OptionGroup var report: FormatOptions

  func validate() throws {
    guard output == "-" else { return }
    throw ValidationError(
      "A recording is written to a file, because the report goes to standard output. Give its name with --output."
    )
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    try reading.check(output: output)
    let summary = try inspector.record(
      to: output, redactedBy: redaction.redactor()
    ) { try? sink.alive() }
    var facts = Report()
    facts.add("recording", "recording", output)
    facts.add("ledger", "ledger", summary.ledgerID.description)
    facts.add("records", "records", summary.recordCount)
    facts.add("events", "events", summary.eventCount)
    facts.add("bytes", "bytes", summary.byteCount)
    facts.add(
      "redacted", "redacted", .bool(redaction.redact), text: redaction.redact ? "yes" : "no")
    facts.add("log digest", "logDigest", summary.logDigest.description)
    try facts.write(as: report.format, to: sink)
  }
}
