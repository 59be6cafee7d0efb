import LedgerSystem

extension PowerRecording {
  /// The last operations before a cut.
  package func describe(before cut: Int, count: Int = 12) -> String {
    operations[..<cut].indices.suffix(count).map { "  \($0): \(operations[$0].summary)" }
      .joined(separator: "\n")
  }

  /// Compares the result of the operations with the files that the processes left: if a call were
  /// missing from the recording, they would differ.
  ///
  /// - Returns: What differs.
  package func differencesFromFiles() throws -> [String] {
    let disk = disks[operations.count]
    let tree = PowerCut.withoutLoss(of: disk)
    var differences: [String] = []
    for item in tree.files where !disk.files[item.file].isShared {
      let bytes = try FileSystem.readPrefix(root + "/" + item.path, maximumBytes: .max)
      if bytes != item.image.bytes { differences.append("the contents of \(item.path)") }
    }
    for directory in ["main", "archives", "imported"] {
      let names = Set(try FileSystem.list("\(root)/\(directory)"))
      let modelled = Set(tree.names(in: directory))
      if names != modelled {
        differences.append("the names in \(directory): \(names.symmetricDifference(modelled))")
      }
    }
    return differences
  }
}

extension DiskTree {
  fileprivate func names(in directory: String) -> [String] {
    (directories + files.map(\.path)).compactMap { path in
      guard path.hasPrefix(directory + "/") else { return nil }
      let rest = path.dropFirst(directory.count + 1)
      return rest.contains("/") ? nil : String(rest)
    }
  }
}

extension DiskOperation {
  fileprivate var summary: String {
    switch self {
    case .make(let file, let isDirectory): "make \(isDirectory ? "directory" : "file") \(file)"
    case .enter(let file, let name, let directory): "enter \(name) in \(directory) as \(file)"
    case .leave(let name, let directory): "remove \(name) from \(directory)"
    case .rename(let from, let to, let directory): "rename \(from) to \(to) in \(directory)"
    case .write(let file, let offset, let bytes):
      "write \(bytes.count) bytes at \(offset) of \(file)"
    case .resize(let file, let byteCount): "resize \(file) to \(byteCount)"
    case .share(let file): "share \(file)"
    case .sync(let file, let synced, let kind): "\(kind), file \(file), operations \(synced)"
    case .say(let line): "say \(line.filter { !$0.isNewline })"
    }
  }
}
