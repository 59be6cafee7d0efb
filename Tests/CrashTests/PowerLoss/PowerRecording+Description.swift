import LedgerSystem
import Testing

extension PowerRecording {
  /// The last operations before a cut.
  func describe(before cut: Int, count: Int = 12) -> String {
    operations[..<cut].indices.suffix(count).map { "  \($0): \(operations[$0].summary)" }
      .joined(separator: "\n")
  }

  /// Compares the result of the operations with the files that the process left: if a call were
  /// missing from the recording, they would differ.
  func checkAgainstFiles() throws {
    var cut = PowerCut(losing: ())
    let tree = cut.tree(of: disks[operations.count])
    #expect(tree.files.count > 10)
    for item in tree.files where !disks[operations.count].files[item.file].isShared {
      let bytes = try FileSystem.readPrefix(root + "/" + item.path, maximumBytes: .max)
      #expect(bytes == item.image.bytes, "\(item.path)")
    }
    #expect(try Set(FileSystem.list(root + "/main")) == Set(tree.names(in: "main")))
    #expect(try Set(FileSystem.list(root + "/archives")) == Set(tree.names(in: "archives")))
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
