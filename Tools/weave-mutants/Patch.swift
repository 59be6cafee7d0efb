import Foundation

/// A reason why the bugs cannot be woven, as a text for the person that runs the tool.
struct WeavingProblem: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A seeded bug: a patch, and the number that its name begins with.
struct Patch {
  let number: Int
  let name: String
  let hunks: [Hunk]

  /// Lines of a file that follow each other, before and after the bug.
  struct Hunk {
    let path: String
    /// The number of the first line, as the patch states it.
    let firstLine: Int
    var lines: [(mark: Character, text: String)] = []

    var old: [String] { lines.filter { $0.mark != "+" }.map(\.text) }
  }

  init(contentsOf path: String) throws {
    name = URL(filePath: path).deletingPathExtension().lastPathComponent
    guard let number = Int(name.prefix { $0 != "-" }) else {
      throw WeavingProblem("The name \(name) does not begin with a number.")
    }
    self.number = number
    hunks = try Self.hunks(of: lines(ofFile: path))
  }

  private static func hunks(of lines: [String]) throws -> [Hunk] {
    var hunks: [Hunk] = []
    var file: String?
    for line in lines {
      if line.hasPrefix("+++ b/") {
        file = String(line.dropFirst(6))
      } else if line.hasPrefix("--- ") || line.hasPrefix("diff ") {
        file = nil
      } else if line.hasPrefix("@@ -"), let file {
        guard let first = Int(line.dropFirst(4).prefix { $0.isNumber }) else {
          throw WeavingProblem("The line '\(line)' names no line of a file.")
        }
        hunks.append(Hunk(path: file, firstLine: first))
      } else if file != nil, !hunks.isEmpty, let mark = line.first, "-+ ".contains(mark) {
        hunks[hunks.count - 1].lines.append((mark, String(line.dropFirst())))
      } else if line.isEmpty, file != nil, !hunks.isEmpty {
        // Editors and mail remove the space of an empty line.
        hunks[hunks.count - 1].lines.append((" ", ""))
      }
    }
    return hunks
  }
}

/// Lines of a file that a bug replaces by others, with the indices that they have in the file.
struct Change {
  let bug: Int
  let range: Range<Int>
  let new: [String]
}

extension Patch.Hunk {
  /// What the hunk changes in a file.
  func changes(in file: [String], bug: Int) throws -> [Change] {
    let start = try start(in: file)
    var changes: [Change] = []
    var position = start
    var removed = 0
    var added: [String] = []
    func endChange() {
      if removed + added.count > 0 {
        changes.append(Change(bug: bug, range: position - removed..<position, new: added))
      }
      (removed, added) = (0, [])
    }
    for line in lines {
      switch line.mark {
      case "+": added.append(line.text)
      case "-":
        if !added.isEmpty { endChange() }
        (position, removed) = (position + 1, removed + 1)
      default:
        endChange()
        position += 1
      }
    }
    endChange()
    return changes
  }

  /// The index at which the lines of the hunk stand in a file: of several, the one nearest to the
  /// number that the patch states.
  private func start(in file: [String]) throws -> Int {
    var old = old
    while old.last == "", lines.last?.mark == " " { old.removeLast() }
    let possible = (0...max(0, file.count - old.count)).filter {
      file[$0...].prefix(old.count).elementsEqual(old)
    }
    guard let nearest = possible.min(by: { abs($0 + 1 - firstLine) < abs($1 + 1 - firstLine) })
    else { throw WeavingProblem("The lines at \(path):\(firstLine) are not there.") }
    return nearest
  }
}

func lines(ofFile path: String) throws -> [String] {
  try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
}
