/// A restriction on the files of some folders.
struct Rule: Sendable {
  /// The text of the rule, for people.
  let statement: String
  /// The rule applies to files whose path begins with one of these.
  let folders: [String]
  /// The rule does not apply to files whose path begins with one of these.
  var exceptions: [String] = []
  /// The offences of a file, with their lines.
  let offences: @Sendable (SourceFile) -> [(what: String, line: Int)]

  /// The offences of a file, each as a line that an editor can jump to.
  func violations(in file: SourceFile) -> [String] {
    guard folders.contains(where: file.path.hasPrefix),
      !exceptions.contains(where: file.path.hasPrefix)
    else { return [] }
    return offences(file).map { "\(file.path):\($0.line): \($0.what). \(statement)" }
  }
}

extension Rule {
  /// Files in a folder import nothing but these modules.
  static func imports(
    _ folder: String, only allowed: Set<String>, except exceptions: [String] = [],
    _ statement: String
  ) -> Rule {
    Rule(statement: statement, folders: [folder], exceptions: exceptions) { file in
      file.imports.filter { !allowed.contains($0.module) }
        .map { ("import of \($0.module)", $0.line) }
    }
  }

  /// Files in some folders import none of these modules.
  static func imports(
    _ folders: [String], not forbidden: Set<String>, except exceptions: [String] = [],
    _ statement: String
  ) -> Rule {
    Rule(statement: statement, folders: folders, exceptions: exceptions) { file in
      file.imports.filter { forbidden.contains($0.module) }
        .map { ("import of \($0.module)", $0.line) }
    }
  }

  /// Files in some folders do not contain a pattern.
  static func text(
    _ folders: [String], not pattern: @escaping @Sendable (SourceFile) -> [Int], what: String,
    except exceptions: [String] = [], _ statement: String
  ) -> Rule {
    Rule(statement: statement, folders: folders, exceptions: exceptions) { file in
      pattern(file).map { (what, $0) }
    }
  }
}
