import Foundation
import Testing

/// The scripts that run the tests leave out some by name. Those names must stay up to date.
@Suite(.timeLimit(.minutes(10))) struct ScriptListTests {
  @Test(arguments: [("Tools/test", "slow"), (".ci/run", "unsanitized")])
  func everyTestThatAScriptLeavesOutIsThere(script: String, list: String) throws {
    let names = try Self.names(in: list, of: script)
    #expect(names.count > 10, "Is the list still where this test looks for it?")
    let suites = try Self.suites()
    for name in names {
      let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
      let files = suites[parts[0], default: []]
      #expect(!files.isEmpty, "\(script): there is no suite \(parts[0])")
      guard parts.count == 2, !files.isEmpty else { continue }
      #expect(
        files.contains { $0.lines.contains { $0.contains("func \(parts[1])(") } },
        "\(script): there is no test \(name)")
    }
  }

  /// The words of an array in a script, without comments.
  private static func names(in list: String, of script: String) throws -> [String] {
    let path = SourceFile.root.appendingPathComponent(script)
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "\(list)=("))
    return lines[(start + 1)...].prefix { $0 != ")" }
      .filter { !$0.drop { $0 == " " }.hasPrefix("#") }
      .flatMap { $0.split(separator: " ").map(String.init) }
  }

  /// The files that declare or extend each type of the tests.
  private static func suites() throws -> [String: [SourceFile]] {
    var suites: [String: [SourceFile]] = [:]
    for file in try SourceFile.all(in: "Tests") {
      for line in file.lines {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        for (keyword, name) in zip(words, words.dropFirst())
        where ["struct", "class", "enum", "extension"].contains(keyword) {
          suites[name, default: []].append(file)
        }
      }
    }
    return suites
  }
}
