import LedgerRuntime

extension RelationGraph {
  /// The longest text of a label, in scalars.
  private static let longestText = 60

  /// Writes it in the language of Mermaid.
  func writeMermaid(to sink: any TextSink) throws {
    try sink.write("graph LR\n")
    let names = nodeNames
    for (id, node) in nodes {
      let label = node.words.map(Self.mermaidText).joined(separator: "<br/>")
      let (left, right) = node.isHandler ? ("([", "])") : ("[", "]")
      try sink.write("  \(names[id] ?? "")\(left)\"\(label)\"\(right)\n")
    }
    for edge in edges {
      try sink.write(
        "  \(names[edge.start] ?? "") -->|\(edge.kind.rawValue)| \(names[edge.end] ?? "")\n")
    }
  }

  /// Writes it in the language DOT of Graphviz.
  func writeDOT(to sink: any TextSink) throws {
    try sink.write("digraph ledger {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n")
    let names = nodeNames
    for (id, node) in nodes {
      let label = node.words.map(Self.dotText).joined(separator: "\\n")
      let shape = node.isHandler ? ", shape=ellipse" : ""
      try sink.write("  \(names[id] ?? "") [label=\"\(label)\"\(shape)];\n")
    }
    for edge in edges {
      try sink.write(
        "  \(names[edge.start] ?? "") -> \(names[edge.end] ?? "") [label=\"\(edge.kind.rawValue)\"];\n"
      )
    }
    try sink.write("}\n")
  }

  /// Short names, because ids are none in either language.
  private var nodeNames: [EntityID: String] {
    Dictionary(
      nodes.enumerated().map { ($0.element.id, "n\($0.offset + 1)") }, uniquingKeysWith: { $1 })
  }

  private static func shown(_ text: String) -> String {
    let beginning = text.clipped(to: longestText)
    let whole = beginning.unicodeScalars.count < text.unicodeScalars.count ? "\(beginning)…" : text
    return whole.escapingControlCharacters
  }

  /// A text in a label of Mermaid: all that Mermaid or HTML may take for its own is a number.
  private static func mermaidText(_ text: String) -> String {
    shown(text).unicodeScalars.reduce(into: "") { result, scalar in
      if "\"#&<>`;\\|*_~$@%[]{}()".unicodeScalars.contains(scalar) {
        result += "#\(scalar.value);"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// A text in a label of DOT, where a backslash escapes and an ampersand begins an entity.
  private static func dotText(_ text: String) -> String {
    shown(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("&", with: "&amp;")
  }
}
