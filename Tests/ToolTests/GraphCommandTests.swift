import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `graph`: exact output and exit code, and what Graphviz makes of it.
@Suite(.timeLimit(.minutes(10)))
struct GraphCommandTests {
  /// A parent with a child that awaits nothing, and names that try to end a label.
  private static func sample() async throws -> WorkHistoryLedger {
    let ledger = try await WorkHistoryLedger()
    try ledger.create(1, "order", label: "Order \"7\" & <b>#1</b> \\N")
    try ledger.createPromise(2, parent: 1, label: "\u{202E}a\nb|c", at: 1)
    try ledger.create(3, "mail", .after(WorkHistoryLedger.promise(2), .any), at: 2)
    try ledger.createPromise(4, label: "alone", at: 3)
    return ledger
  }

  @Test func relationsAreMermaid() async throws {
    let ledger = try await Self.sample()
    let run = try CommandRun("graph", ledger.path)
    #expect(
      run.output == #"""
        graph LR
          n1["work order<br/>Order #34;7#34; #38; #60;b#62;#35;1#60;/b#62; #92;N<br/>pending"]
          n2["promise<br/>#92;u#123;202E#125;a#92;u#123;A#125;b#124;c<br/>pending"]
          n3["work mail<br/>…00000a03<br/>pending"]
          n1 -->|child| n2
          n3 -->|awaits| n2

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func relationsAreDOT() async throws {
    let ledger = try await Self.sample()
    let run = try CommandRun("graph", ledger.path, "--format", "dot")
    #expect(
      run.output == #"""
        digraph ledger {
          rankdir=LR;
          node [shape=box, style=rounded];
          n1 [label="work order\nOrder \"7\" &amp; <b>#1</b> \\N\npending"];
          n2 [label="promise\n\\u{202E}a\\u{A}b|c\npending"];
          n3 [label="work mail\n…00000a03\npending"];
          n1 -> n2 [label="child"];
          n3 -> n2 [label="awaits"];
        }

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func aNameChoosesWhatItIsRelatedTo() async throws {
    let ledger = try await Self.sample()
    let alone = try CommandRun("graph", ledger.path, WorkHistoryLedger.id(4).description)
    #expect(alone.output == "graph LR\n  n1[\"promise<br/>alone<br/>pending\"]\n")
    let related = try CommandRun("graph", ledger.path, WorkHistoryLedger.id(3).description)
    #expect(related.output.contains("  n2 -->|child|") || related.output.contains("n3 -->|child|"))
    #expect(related.output.split(separator: "\n").count == 6)
    let bounded = try CommandRun("graph", ledger.path, "--limit", "2")
    #expect(bounded.output.split(separator: "\n").count == 4)
    #expect(
      bounded.notes == "promise-ledger: Nodes left out: 1. A higher --limit prints more.\n")
    #expect(try CommandRun("graph", ledger.path, "nothing-has-this").status == 3)
    #expect(try CommandRun("graph", ledger.path, "--limit", "0").status == 2)
    #expect(try CommandRun(intoClosedPipe: "graph", ledger.path).status == 0)
  }

  private static let dot = "/usr/bin/dot"

  /// Graphviz shows every text as it is stored, but for what cannot be seen.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: dot)))
  func graphvizDrawsIt() async throws {
    let ledger = try await Self.sample()
    let directory = try TemporaryDirectory()
    let graph = "\(directory.path)/graph.dot"
    let text = try CommandRun("graph", ledger.path, "--format", "dot").output
    try Data(text.utf8).write(to: URL(fileURLWithPath: graph))
    let run = try CommandRun(["-Tsvg", graph], of: URL(fileURLWithPath: Self.dot))
    #expect(run.status == 0 && run.notes == "")
    #expect(run.output.contains(">Order &quot;7&quot; &amp; &lt;b&gt;#1&lt;/b&gt; \\N</text>"))
    #expect(run.output.contains(">\\u{202E}a\\u{A}b|c</text>"))
    #expect(run.output.ranges(of: "<g id=\"edge").count == 2)
  }
}
