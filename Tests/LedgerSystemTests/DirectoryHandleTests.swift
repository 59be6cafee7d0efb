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

/// Directories that are reached by descriptor.
@Suite(.timeLimit(.minutes(10))) struct DirectoryHandleTests {
  @Test func itLeadsToTheSameDirectoryWhateverItsNameIs() throws {
    try withDirectory { directory in
      try FileSystem.createDirectory("\(directory)/mine")
      try FileSystem.createDirectory("\(directory)/foreign")
      try FileSystem.writeAtomically([1], to: "\(directory)/foreign/file")
      let handle = try DirectoryHandle("\(directory)/mine")
      try FileManager.default.moveItem(atPath: "\(directory)/mine", toPath: "\(directory)/moved")
      try #require(unsafe symlink("\(directory)/foreign", "\(directory)/mine") == 0)
      try handle.remove("file")
      try handle.createFile("other")
      try handle.rename("other", to: "new")
      #expect(try FileSystem.list("\(directory)/foreign") == ["file"])
      #expect(try FileSystem.list("\(directory)/moved") == ["new"])
      #if os(Linux)
        try FileSystem.createDirectory(handle.lastingPath + "/made")
        #expect(try FileSystem.list("\(directory)/moved") == ["made", "new"])
      #endif
    }
  }

  @Test func noEntryIsFollowedThatIsALink() throws {
    try withDirectory { directory in
      try FileSystem.createDirectory("\(directory)/foreign")
      try FileSystem.writeAtomically([1], to: "\(directory)/foreign/file")
      try #require(unsafe symlink("\(directory)/foreign", "\(directory)/link") == 0)
      let handle = try DirectoryHandle(directory)
      #expect(try handle.facts(of: "link")?.kind == .other)
      #expect(throws: SystemError.self) { _ = try handle.directory("link") }
      #expect(throws: SystemError.self) { try handle.createFile("link") }
      #expect(throws: SystemError.self) { try handle.removeDirectory("link") }
      try handle.removeTree("link")
      #expect(try handle.list() == ["foreign"])
      #expect(try FileSystem.list("\(directory)/foreign") == ["file"])
    }
  }

  @Test func someOfItsNamesCanBeHad() throws {
    try withDirectory { directory in
      let handle = try DirectoryHandle(directory)
      for name in ["a", "b", "c"] { try handle.createFile(name) }
      let names = try handle.names(limit: 2)
      #expect(names.count == 2 && Set(names).isSubset(of: ["a", "b", "c"]))
      #expect(try handle.names(limit: 0) == [])
      #expect(try Set(handle.names(limit: 4)) == ["a", "b", "c"])
      #expect(try handle.list() == ["a", "b", "c"])
    }
  }

  @Test func aLockKeepsOthersOut() throws {
    try withDirectory { directory in
      let path = directory + "/locked"
      try FileSystem.createDirectory(path)
      let first = try DirectoryHandle(path)
      #expect(try first.tryLock())
      #expect(try !DirectoryHandle(path).tryLock())
    }
  }

  @Test(arguments: [
    (".a.new-0123456789ab", "a"), (".a.new-b.new-0123456789ab", "a.new-b"),
    (".a.new-0123456789a", nil), (".a.new-0123456789aB", nil), ("a.new-0123456789ab", nil),
    (".new-0123456789ab", nil), (".a-new-0123456789ab", nil), ("", nil),
  ])
  func aTemporaryNameTellsItsTarget(name: String, target: String?) {
    #expect(TemporaryName.target(of: name) == target)
  }
}
