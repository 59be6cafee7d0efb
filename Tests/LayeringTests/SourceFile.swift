import Foundation
import Testing

/// A Swift file of this package, without comments and string literals.
struct SourceFile: CustomTestStringConvertible {
  /// The path from the root of the package.
  let path: String
  let lines: [String]

  var testDescription: String { path }

  /// The root of the package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.code(in:))
  }

  /// A line without its string literals and its comment.
  private static func code(in line: Substring) -> String {
    var code: [UInt8] = []
    var isInString = false
    var previous: UInt8 = 0
    for byte in line.utf8 {
      if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") {
        isInString.toggle()
      } else if !isInString {
        if byte == UInt8(ascii: "/"), previous == byte { break }
        code.append(byte)
      }
      // An escaped backslash escapes nothing.
      previous = byte == UInt8(ascii: "\\") && previous == byte ? 0 : byte
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// The modules that the file imports, with the numbers of the lines.
  var imports: [(module: String, line: Int)] {
    lines.enumerated().compactMap { index, line in
      // An access level or attributes, `import`, the kind of a single declaration, and the module.
      let words = line.split { $0 == " " || $0 == "." }
      // In the text of a help, other words come before it.
      let levels = ["public", "package", "internal", "fileprivate", "private"]
      guard let start = words.firstIndex(of: "import"),
        words[..<start].allSatisfy({ $0.hasPrefix("@") || levels.contains(String($0)) })
      else { return nil }
      let declarations = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
      let names = words[(start + 1)...].drop { declarations.contains(String($0)) }
      return names.first.map { (String($0), index + 1) }
    }
  }

  /// The numbers of the lines that contain one of these texts.
  func lines(with texts: String...) -> [Int] {
    lines.enumerated().compactMap { index, line in
      texts.contains { line.contains($0) } ? index + 1 : nil
    }
  }

  /// The numbers of the lines that contain a matching identifier or keyword.
  func lines(withWord isMeant: (Substring) -> Bool) -> [Int] {
    lines.enumerated().compactMap { index, line in
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      return words.contains(where: isMeant) ? index + 1 : nil
    }
  }
}

extension SourceFile {
  /// The numbers of the lines that declare a suite without a time limit.
  var linesOfEndlessSuites: [Int] {
    lines.indices.filter { index in
      let words = lines[index].split { !$0.isLetter && !$0.isNumber }.map(String.init)
      let isSuite = zip(words, words.dropFirst()).contains { keyword, name in
        ["struct", "class", "enum", "actor"].contains(keyword) && name.hasSuffix("Tests")
      }
      let attributes = lines[..<index].reversed().prefix { line in
        line.contains { !$0.isWhitespace } && line.last != "{" && line.last != "}"
      }
      return isSuite && !(attributes + [lines[index]]).contains { $0.contains("timeLimit") }
    }.map { $0 + 1 }
  }

  /// The numbers of the lines with a `case` whose patterns contain the name of an event kind.
  var linesOfSwitchesOverEventKinds: [Int] {
    lines.indices.filter { index in
      let names = Set(
        patterns(from: index).split { " (),:".contains($0) }
          .filter { $0.first == "." }.map { String($0.dropFirst()) })
      // A few names are also those of error codes.
      return !names.isDisjoint(with: Self.eventKinds.subtracting(Self.errorCodes))
        || !names.isEmpty && names.isSubset(of: Self.eventKinds)
    }.map { $0 + 1 }
  }

  /// The patterns of the `case` that begins in a line: up to its colon, which may be in a later
  /// line, and without its `where`. Empty if none begins there.
  private func patterns(from index: Int) -> String {
    guard lines[index].drop(while: \.isWhitespace).hasPrefix("case ") else { return "" }
    var depth = 0
    let text = lines[index...].prefix(20).joined(separator: " ").prefix { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth > 0 || character != ":"
    }
    return String(text.prefix(upTo: text.firstRange(of: " where ")?.lowerBound ?? text.endIndex))
  }

  /// The declared names of the event kinds.
  private static let eventKinds = constants(of: "EventKind", in: "Events/EventKind.swift")
  private static let errorCodes = constants(of: "Code", in: "Errors/LedgerErrorCode.swift")

  private static func constants(of type: String, in path: String) -> Set<String> {
    let file = root.appending(path: "Sources/LedgerModel/\(path)")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let names = text.matches(of: /static let (\w+) = (\w+)\(/).filter { $0.2 == type }
    precondition(!names.isEmpty, "Are the constants of \(type) still declared there?")
    return Set(names.map { String($0.1) })
  }

  /// All Swift files in folders of this package.
  static func all(in folders: String...) throws -> [SourceFile] {
    try folders.flatMap { folder in
      let paths = try FileManager.default.subpathsOfDirectory(
        atPath: root.appendingPathComponent(folder).path)
      return try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted().map {
        let path = "\(folder)/\($0)"
        return SourceFile(
          path: path,
          text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
      }
    }
  }
}
