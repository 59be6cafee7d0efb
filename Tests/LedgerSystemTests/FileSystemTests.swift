import Foundation
import LedgerSystem
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct FileSystemTests {
  @Test func writingAtomicallyReplacesTheWholeContent() throws {
    try withDirectory { directory in
      let path = "\(directory)/file"
      let long = [UInt8](repeating: 3, count: 100_000)
      try FileSystem.writeAtomically(long, to: path)
      #expect(try FileSystem.readPrefix(path, maximumBytes: 100_000) == long)
      try FileSystem.writeAtomically([1, 2], to: path)
      #expect(try FileSystem.readPrefix(path, maximumBytes: 2) == [1, 2])
      #expect(try FileSystem.list(directory) == ["file"])
    }
  }

  @Test func failedAtomicWriteLeavesNothingBehind() throws {
    try withDirectory { directory in
      let path = "\(directory)/taken"
      try FileSystem.createDirectory(path)
      let error = #expect(throws: SystemError.self) {
        try FileSystem.writeAtomically([1], to: path)
      }
      #expect(error?.code == .isDirectory)
      #expect(try FileSystem.list(directory) == ["taken"])
    }
  }

  @Test func readingStopsAtItsLimit() throws {
    try withDirectory { directory in
      let path = "\(directory)/file"
      try FileSystem.writeAtomically([1, 2, 3], to: path)
      #expect(try FileSystem.readPrefix(path, maximumBytes: 2) == [1, 2])
      #expect(try FileSystem.readPrefix(path, maximumBytes: .max) == [1, 2, 3])
    }
  }

  @Test func uniqueDirectoriesDifferAndTellTheirTarget() throws {
    try withDirectory { directory in
      let handle = try DirectoryHandle(directory)
      let first = try handle.createUniqueDirectory(for: "ledger")
      let second = try handle.createUniqueDirectory(for: "ledger")
      #expect(first != second)
      #expect(try handle.facts(of: second)?.kind == .directory)
      _ = try handle.createUniqueDirectory(for: "ledger.new-a")
      _ = try handle.createUniqueDirectory(for: "ledge")
      let found = try handle.temporaryNames(for: "ledger")
      #expect(found == [first, second].sorted())
    }
  }

  @Test func exclusiveRenameNeverReplaces() throws {
    try withDirectory { directory in
      try FileSystem.createDirectory("\(directory)/new")
      try FileSystem.createDirectory("\(directory)/empty")
      let error = #expect(throws: SystemError.self) {
        try DirectoryHandle(directory).renameExclusively("new", to: "empty")
      }
      #expect(error?.code == .exists)
      try DirectoryHandle(directory).renameExclusively("new", to: "free")
      #expect(try FileSystem.list(directory) == ["empty", "free"])
    }
  }

  @Test func renamedFileKeepsItsIdentity() throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically([], to: "\(directory)/old")
      let identity = try FileSystem.identity("\(directory)/old")
      try FileManager.default.moveItem(atPath: "\(directory)/old", toPath: "\(directory)/new")
      #expect(try FileSystem.identity("\(directory)/new") == identity)
      #expect(!FileManager.default.fileExists(atPath: "\(directory)/old"))
      try FileSystem.syncFile("\(directory)/new")
      try FileSystem.syncDirectory(directory)
    }
  }

  @Test func removingATreeDoesNotFollowLinks() throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically([1], to: "\(directory)/kept")
      try FileSystem.createDirectory("\(directory)/tree")
      try FileSystem.createDirectory("\(directory)/tree/inner")
      try FileSystem.writeAtomically([1], to: "\(directory)/tree/inner/file")
      try #require(unsafe symlink(directory, "\(directory)/tree/link") == 0)
      try FileSystem.removeTree("\(directory)/tree")
      try FileSystem.removeTree("\(directory)/tree")
      #expect(try FileSystem.list(directory) == ["kept"])
    }
  }

  @Test func kindsAreTold() throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically([1], to: "\(directory)/file")
      #expect(try FileSystem.kind("\(directory)/file") == .file)
      #expect(try FileSystem.kind(directory) == .directory)
      #expect(try FileSystem.kind("/dev/null") == .other)
      #expect(try FileSystem.kind("\(directory)/missing") == nil)
      #expect(try FileSystem.kind("\(directory)/file/below") == nil)
    }
  }

  @Test func linksAreFollowedToMissingFiles() throws {
    try withDirectory { directory in
      let real = try FileSystem.realPath(directory)
      try FileSystem.createDirectory("\(directory)/inner")
      for (name, content) in [
        ("absolute", "\(directory)/inner/file"), ("relative", "inner/file"),
        ("indirect", "inner/../relative"), ("lost", "none/file"), ("round", "trip"),
        ("trip", "round"), ("below", "inner/second"), ("inner/second", "file"),
      ] {
        try #require(unsafe symlink(content, "\(directory)/\(name)") == 0)
      }
      for name in ["absolute", "relative", "indirect", "below", "inner/second", "inner/./file"] {
        #expect(try FileSystem.targetPath("\(directory)/\(name)") == "\(real)/inner/file")
      }
      let lost = #expect(throws: SystemError.self) {
        try FileSystem.targetPath("\(directory)/lost")
      }
      #expect(lost?.code == .notFound)
      let round = #expect(throws: SystemError.self) {
        try FileSystem.targetPath("\(directory)/round")
      }
      #expect(round?.code == .tooManyLinks)
      try FileSystem.writeAtomically([1], to: "\(directory)/inner/file")
      #expect(try FileSystem.targetPath("\(directory)/indirect") == "\(real)/inner/file")
    }
  }

  @Test func sizesAreTold() throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically([1, 2, 3], to: "\(directory)/file")
      #expect(try FileSystem.fileSize("\(directory)/file") == 3)
    }
  }

  @Test func newFilesAreForTheirOwnerOnly() throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically([1], to: "\(directory)/file")
      var status = stat()
      try #require(unsafe stat("\(directory)/file", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      try #require(unsafe stat(directory, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
    }
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a/b/", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b", "a"),
  ])
  func parentIsTheHoldingDirectory(path: String, parent: String) {
    #expect(FileSystem.parent(of: path) == parent)
  }

  @Test(arguments: [
    ("/a/b", "b"), ("/a/b/", "b"), ("/a", "a"), ("/", "/"), ("a", "a"), ("a/..", ".."), ("", ""),
  ])
  func lastComponentIsTheName(path: String, name: String) {
    #expect(FileSystem.lastComponent(of: path) == name)
  }

  @Test func errorsNameTheAttemptAndTheReason() {
    let error = #expect(throws: SystemError.self) { _ = try FileSystem.list("/nonexistent") }
    #expect(
      error?.description == #"open "/nonexistent": no such file or directory (ENOENT)"#)
    #expect("\(SystemError.Code(rawValue: 9999))" == "errno 9999")
  }
}
