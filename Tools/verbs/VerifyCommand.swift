import ArgumentParser
import LedgerRuntime

/// `promise-ledger verify`: checks that everything is intact and consistent.
struct VerifyCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks a ledger and lists what is wrong with it.",
    discussion: """
      The command checks that every record matches its checksum, that no event is missing, that \
      commits and large values are complete, that payloads can be read, that promises, handlers \
      and sessions follow their rules, and that everything that events refer to exists. The exit \
      code is 5 if something is damaged, and 1 if there are events that this build does not know \
      or if the digest does not match. Later events change the digest: to compare with an earlier \
      one, give its position to --through.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(
    help: ArgumentHelp(
      "The log digest that the ledger must have, as digest prints it.", valueName: "digest"))
  var expect: DigestArgument?

  @Option(
    help: ArgumentHelp(
      "The position of the expected digest; by default that of the last event.",
      valueName: "position"))
  var through: UInt64?

  @OptionGroup var output: FormatOptions

  func validate() throws {
    guard through == nil || expect != nil else {
      throw ValidationError(
        "--through needs --expect. Without --expect, the whole ledger is verified.")
    }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector: BlockingInspector
    do {
      inspector = try reading.open()
    } catch let error as LedgerError where error.code == .corrupt {
      // Damage that prevents the ledger from being opened at all is a finding, too.
      var printer = try RecordPrinter(output.format, Record.findingColumns, to: sink)
      throw try end(&printer, with: error, "The ledger cannot be opened.")
    }
    let earlier = try earlierDigest(of: inspector, sink)
    var printer = try RecordPrinter(
      output.format, Record.findingColumns, to: sink, leavesOutEmptyTable: true)
    do {
      let summary = try inspector.verify(
        progress: sink.progress(through: inspector), { try printer.print(Record($0)) })
      let digest = through == nil ? summary.logDigest : earlier
      let differs = expect.map { $0.bytes != digest?.bytes } ?? false
      if differs { try printer.print(.difference(digest)) }
      try printer.end()
      try end(summary, differs: differs, sink)
    } catch let error as LedgerError {
      throw try end(&printer, with: error, "The rest of the ledger cannot be read.")
    }
  }

  /// Ends the list with damage that prevents further checks.
  ///
  /// - Returns: The end of the command.
  private func end(
    _ printer: inout RecordPrinter, with error: LedgerError, _ message: String
  ) throws -> Status.Failure {
    if error.code == .corrupt { try printer.print(Record(error)) }
    try printer.end(isComplete: false)
    let failure = Status.Failure(error)
    return (error.code == .corrupt ? Status.Failure(.corrupt, message) : failure)
      .leavingOutputIncomplete
  }

  /// The log digest at the requested position; `nil` if damage prevents its computation, which the
  /// verification will find.
  private func earlierDigest(
    of inspector: BlockingInspector, _ sink: any TextSink
  ) throws -> LogDigest? {
    guard let through else { return nil }
    do throws(LedgerError) {
      return try inspector.logDigest(through: Position(rawValue: through)) { _ in
        _ = try? sink.alive()
      }
    } catch {
      guard error.code == .corrupt || error.code == .incompatibleFormat else { throw error }
      return nil
    }
  }

  private func end(
    _ summary: VerificationSummary, differs: Bool, _ sink: any TextSink
  ) throws {
    let scope =
      "\(summary.eventCount) events in \(summary.frameCount) frames, \(summary.attachmentCount) large values"
    if summary.corruptCount > 0 {
      throw Status.Failure(
        .corrupt,
        "Damage found: \(summary.corruptCount). Checked: \(scope). Restore the ledger from a copy.")
    }
    if summary.unsupportedCount > 0 {
      throw Status.Failure(
        .findings,
        "Findings that this build does not understand: \(summary.unsupportedCount). Checked: \(scope). Update the tool."
      )
    }
    if differs {
      throw Status.Failure(
        .findings, "The log digest does not match the expected one. Checked: \(scope).")
    }
    try sink.note("Nothing found. Checked: \(scope).")
  }
}

extension Record {
  fileprivate static let findingColumns = [
    Column("position", width: 8, isRightAligned: true), Column("severity", width: 11),
    Column("subject", width: 8), Column("finding"),
  ]

  fileprivate init(_ finding: VerificationFinding) {
    let severity = "\(finding.severity)"
    self.init(
      severity: severity, finding.message, position: finding.position, subject: finding.subject)
  }

  fileprivate init(_ error: LedgerError) {
    self.init(severity: "corrupt", error.message)
  }

  fileprivate static func difference(_ digest: LogDigest?) -> Record {
    let actual = digest.map { "it is \($0)" } ?? "it cannot be computed"
    return Record(
      severity: "difference", "The log digest does not match the expected one: \(actual).")
  }

  private init(
    severity: String, _ message: String, position: Position? = nil, subject: EntityID? = nil
  ) {
    cells = [
      position.map(\.description) ?? "", severity, subject?.shortText ?? "",
      message.escapingControlCharacters,
    ]
    var members: [String: JSONValue] = [
      "severity": .string(severity), "message": .string(message),
    ]
    members["position"] = position.map { .unsigned($0.rawValue) }
    members["subject"] = subject.map { .string($0.description) }
    json = .object(members)
  }
}
