// Copies the files of a package to a folder, and puts seeded bugs into the copy, each behind a condition on
// an environment variable: `weave-mutants FOLDER PATCH...`, with the paths of the files on standard input. The copy
// is then built once, and run with one bug after the other.

import Foundation

extension Change {
  /// The body that is changed; `nil` outside of functions.
  fileprivate func body(in file: [String]) -> Body? {
    if let body = Body(around: range.lowerBound, in: file) { return body }
    // Lines added at the end of a body stand before its closing brace.
    guard range.isEmpty, range.lowerBound > 0 else { return nil }
    return Body(around: range.lowerBound - 1, in: file)
  }
}

/// The files of a package with all seeded bugs.
struct Weave {
  private var changes: [String: [Change]] = [:]

  init(_ patches: [Patch]) throws {
    for patch in patches {
      for hunk in patch.hunks {
        do {
          changes[hunk.path, default: []] += try hunk.changes(
            in: lines(ofFile: hunk.path), bug: patch.number)
        } catch let problem as WeavingProblem {
          throw WeavingProblem("\(patch.name): \(problem.message)")
        }
      }
    }
  }

  /// What files have in the copy, by their paths, if that is not what they have in the package.
  func files() throws -> [String: String] {
    var files: [String: String] = [:]
    let condition = try lines(ofFile: "Tests/Mutants/SeededBug.swift").joined(separator: "\n")
    for (path, changes) in changes {
      files[path] = try Self.woven(lines(ofFile: path), changes, path).joined(separator: "\n")
      // A target is a folder of Sources or Tools.
      let target = path.split(separator: "/").prefix(2).joined(separator: "/")
      files["\(target)/SeededBug.swift"] = condition
    }
    return files
  }

  private static func woven(
    _ file: [String], _ changes: [Change], _ path: String
  ) throws -> [String] {
    var bodies: [Body: [Change]] = [:]
    // Replacements of lines by others, which do not overlap.
    var edits: [(range: Range<Int>, new: [String])] = []
    for change in changes {
      if let body = change.body(in: file) {
        bodies[body, default: []].append(change)
      } else if change.range.isEmpty {
        // A declaration that only this bug uses.
        edits.append((change.range, change.new))
      } else {
        throw WeavingProblem(
          "\(path):\(change.range.lowerBound + 1) is in no function, so bug \(change.bug) cannot be put behind a condition. State the bug inside functions; it may add declarations."
        )
      }
    }
    for (body, changes) in bodies { edits.append(try conditional(body, changes, file, path)) }
    var result = file
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      result.replaceSubrange(edit.range, with: edit.new)
    }
    return result
  }

  /// A body that is chosen by the number of the bug.
  private static func conditional(
    _ body: Body, _ changes: [Change], _ file: [String], _ path: String
  ) throws -> (Range<Int>, [String]) {
    var new: [String] = []
    var range = body.lines
    var original = Array(file[body.lines])
    var end: [String] = []
    if body.lines.isEmpty {
      let (head, statements) = try split(file[body.header])
      range = body.header..<body.header + 1
      (original, end) = ([statements], ["}"])
      new.append(head)
    }
    for (bug, changes) in Dictionary(grouping: changes, by: \.bug).sorted(by: { $0.key < $1.key }) {
      new.append("if SeededBug.number == \(bug) {")
      var changed = Array(file[range])
      for change in changes.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
        guard range.lowerBound <= change.range.lowerBound,
          change.range.upperBound <= range.upperBound
        else {
          throw WeavingProblem("Bug \(bug) goes beyond a function: \(path):\(body.header + 1)")
        }
        let start = change.range.lowerBound - range.lowerBound
        changed.replaceSubrange(start..<start + change.range.count, with: change.new)
      }
      if body.lines.isEmpty { changed = [try split(changed.joined(separator: "\n")).statements] }
      new += changed + ["} else"]
    }
    return (range, new + ["{"] + original + ["}"] + end)
  }

  /// The two parts of a declaration in one line.
  private static func split(_ line: String) throws -> (head: String, statements: String) {
    guard let brace = line.firstIndex(of: "{"), let end = line.lastIndex(of: "}") else {
      throw WeavingProblem("The line '\(line)' has no body.")
    }
    return (String(line[...brace]), String(line[line.index(after: brace)..<end]))
  }
}

/// A folder with the files of a package. Files that do not change keep their time, so that a build
/// finds what it made before.
struct Copy {
  let folder: String

  func update(files paths: [String], woven: [String: String]) throws {
    let manager = FileManager.default
    for path in paths where woven[path] == nil && manager.fileExists(atPath: path) {
      let copy = folder + "/" + path
      if manager.contentsEqual(atPath: path, andPath: copy) { continue }
      try makeFolder(of: copy)
      try? manager.removeItem(atPath: copy)
      try manager.copyItem(atPath: path, toPath: copy)
    }
    for (path, content) in woven {
      let copy = folder + "/" + path
      if manager.contents(atPath: copy) == Data(content.utf8) { continue }
      try makeFolder(of: copy)
      try Data(content.utf8).write(to: URL(filePath: copy))
    }
    let wanted = Set(paths.filter(manager.fileExists(atPath:)) + woven.keys)
    for folder in Set(wanted.compactMap { $0.split(separator: "/").first }) {
      for path in manager.enumerator(atPath: self.folder + "/" + folder) ?? .init() {
        let path = "\(folder)/\(path)"
        var isDirectory: ObjCBool = false
        let copy = self.folder + "/" + path
        guard manager.fileExists(atPath: copy, isDirectory: &isDirectory) else { continue }
        if !isDirectory.boolValue, !wanted.contains(path) { try manager.removeItem(atPath: copy) }
      }
    }
  }

  private func makeFolder(of path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
  }
}

@main
enum WeaveMutants {
  static func main() {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      guard let folder = arguments.first else { throw WeavingProblem("Name a folder.") }
      let woven = try Weave(arguments.dropFirst().map(Patch.init(contentsOf:))).files()
      var paths: [String] = []
      while let path = readLine() { paths.append(path) }
      try Copy(folder: folder).update(files: paths, woven: woven)
    } catch {
      let message = (error as? WeavingProblem)?.message ?? "\(error)"
      FileHandle.standardError.write(Data("error: \(message)\n".utf8))
      exit(1)
    }
  }
}
