/// The body of a function, an initializer or an accessor, found by the indentation of the formatter.
struct Body: Hashable {
  /// The line that ends with the brace of the body, or, of a body in one line, that line.
  let header: Int
  /// The lines of the body; empty if the body is in the line of its header.
  let lines: Range<Int>

  /// The body around a line of a file; `nil` if that line is in none.
  init?(around line: Int, in file: [String]) {
    if file[line].hasSuffix(" }"), Self.begins(file[line], opensIn: file[line]) {
      self.init(header: line, lines: line..<line)
      return
    }
    var found: Body?
    var isAccessor = false
    var indentation = Self.indentation(of: file[line]) ?? .max
    for index in stride(from: line - 1, through: 0, by: -1) {
      guard let own = Self.indentation(of: file[index]), own < indentation else { continue }
      indentation = own
      guard file[index].hasSuffix("{") else { continue }
      let head = Self.head(of: index, in: file)
      let isVariable = Self.keyword(of: file[head]) == "var"
      // A variable with accessors has no statements of its own.
      if isAccessor && isVariable { continue }
      guard Self.begins(file[head], opensIn: file[index]) else { continue }
      guard
        let end = file[line...].firstIndex(where: {
          Self.indentation(of: $0) == own && $0.drop { $0 == " " }.hasPrefix("}")
        })
      else { continue }
      isAccessor = Self.accessors.contains(Self.keyword(of: file[head]))
      found = Body(header: index, lines: index + 1..<end)
    }
    guard let found else { return nil }
    self = found
  }

  private init(header: Int, lines: Range<Int>) {
    self.header = header
    self.lines = lines
  }

  private static let accessors: Set = ["get", "set", "_read", "_modify", "yielding"]

  private static func indentation(of line: String) -> Int? {
    line.firstIndex { $0 != " " }.map { line.distance(from: line.startIndex, to: $0) }
  }

  /// The first line of a declaration whose brace is in a line.
  private static func head(of line: Int, in file: [String]) -> Int {
    var head = line
    let own = indentation(of: file[line])
    while head > 0 {
      let text = file[head].drop { $0 == " " }
      guard text.hasPrefix(")") || text.hasPrefix("where ") || indentation(of: file[head]) != own
      else { break }
      head -= 1
    }
    return head
  }

  /// Whether a declaration with statements begins in a line.
  private static func begins(_ head: String, opensIn line: String) -> Bool {
    let keyword = keyword(of: head)
    if accessors.contains(keyword) { return true }
    if keyword == "var" { return !line.prefix { $0 != "{" }.contains("=") }
    return ["func", "init", "deinit", "subscript"].contains(keyword)
  }

  /// The word by which a declaration says what it is.
  private static func keyword(of line: String) -> String {
    let modifiers: Set = [
      "public", "package", "internal", "fileprivate", "private", "static", "final", "override",
      "mutating", "nonmutating", "consuming", "borrowing", "nonisolated", "convenience", "indirect",
    ]
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains("\($0)") }
    return String(words.first?.prefix { $0.isLetter || $0 == "_" } ?? "")
  }
}
