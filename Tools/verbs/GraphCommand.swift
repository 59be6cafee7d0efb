import ArgumentParser
import LedgerRuntime

/// `promise-ledger graph`: relations, for a program that draws graphs.
struct GraphCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Prints relations of promises, work and handlers as Mermaid or DOT.",
    discussion: """
      With a name, the graph has everything that it is related to, the nearest first; without one, \
      all promises and handlers that are open and have relations. An arrow leads from a parent to \
      its child, from what waits to what it awaits, and from a handler to what it refers to. For a \
      picture, give the output to dot -Tsvg, or put it into a block of Mermaid in Markdown.
      """)

  enum Language: String, ExpressibleByArgument, CaseIterable {
    case mermaid, dot
  }

  @OptionGroup var reading: ReadingOptions

  @Argument(
    help:
      "The promise or handler: an id, its beginning or its end (at least 4 characters), or a key.")
  var name: EntityName?

  @Option(help: "The language of the graph.")
  var format: Language = .mermaid

  @Option(help: ArgumentHelp("Print at most this many nodes.", valueName: "count"))
  var limit = 200

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("The limit must be at least 1.") }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let alive = { () -> Void in try? sink.alive() }
    let graph: RelationGraph
    if let name {
      graph = try inspector.withSubject(.text(name), sink) { replayed, subject -> RelationGraph in
        try subject.requireRelations()
        return try RelationGraph(around: subject.id, in: replayed, limit: limit, progress: alive)
      }
    } else {
      let progress = { (_: Position) -> Void in alive() }
      graph = try inspector.withReplay(progress: progress) { replayed in
        try RelationGraph(ofOpenIn: replayed, limit: limit, progress: alive)
      }
    }
    switch format {
    case .mermaid: try graph.writeMermaid(to: sink)
    case .dot: try graph.writeDOT(to: sink)
    }
    try sink.flush()
    if graph.leftOutCount > 0 {
      try sink.note("Nodes left out: \(graph.leftOutCount). A higher --limit prints more.")
    }
  }
}
