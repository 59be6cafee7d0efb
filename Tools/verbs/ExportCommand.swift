import ArgumentParser
import LedgerRuntime

/// `promise-ledger export`: all events as an archive.
struct ExportCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all events to an archive, from which import makes a ledger.",
    discussion: """
      The archive consists of lines of JSON. It goes to standard output, or with --output to a \
      file, which appears under its name only when it is complete. Its last line holds a digest \
      of the archive, so that a truncated archive is recognised. The same ledger always makes the \
      same archive, compressed or not, as long as zlib stays the same. With --redact, values and \
      texts are replaced as record does it; import takes such an archive, too. With --subject, \
      the output has only one promise or handler and everything that graph shows as related to \
      it, and import refuses it, because it is not a whole ledger.
      """)

  @OptionGroup var reading: ReadingOptions

  @OptionGroup var archive: ArchiveOutput

  @OptionGroup var redaction: RedactionOptions

  @Option(
    help: ArgumentHelp(
      "Write only this and what it is related to: an id, its beginning or its end (at least 4 characters), or a key.",
      valueName: "name"))
  var subject: EntityName?

  func perform(_ sink: any TextSink) throws {
    try archive.check(outside: reading)
    var inspector = try reading.open()
    let redactor = try redaction.redactor()
    // A key that --subject names is not in the redacted copy.
    let ids = try subject.map { try related(to: $0, in: inspector, sink) }
    if let redactor { inspector = try inspector.redacted(by: redactor) { try sink.alive() } }
    let source = inspector
    try archive.write(sink) { write in
      if let ids {
        try source.exportExcerpt(of: ids, tick: sink.alive) { try write($0) }
      } else {
        try source.export { piece in
          try write(piece)
          try sink.alive()
        }
      }
    }
  }

  /// The subject, and everything that it is related to, directly or not.
  private func related(
    to name: EntityName, in inspector: BlockingInspector, _ sink: any TextSink
  ) throws -> Set<EntityID> {
    try inspector.withSubject(.text(name), sink) { replayed, subject in
      try subject.requireRelations()
      let graph = try RelationGraph(around: subject.id, in: replayed, limit: .max) {
        try? sink.alive()
      }
      return Set(graph.nodes.map(\.id))
    }
  }
}
