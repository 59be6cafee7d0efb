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

@Suite(.timeLimit(.minutes(10))) struct FileLockTests {
  @Test func exclusiveLockKeepsOthersOutUntilUnlocked() throws {
    try withLocks { first, second throws in
      #expect(try first.tryLock())
      #expect(try !second.tryLock())
      #expect(try !second.tryLock(.shared))
      first.unlock()
      #expect(try second.tryLock())
    }
  }

  @Test func sharedLocksLetEachOtherInAndKeepWritersOut() throws {
    try withLocks { first, second throws in
      #expect(try first.tryLock(.shared))
      #expect(try second.tryLock(.shared))
      first.unlock()
      #expect(try !first.tryLock(.exclusive))
    }
  }

  @Test func lockIsNotTakenTwiceByOneObject() throws {
    try withLocks { first, _ throws in
      #expect(try first.tryLock())
      #expect(try !first.tryLock())
      #expect(first.held == .exclusive)
    }
  }

  @Test func closingGivesTheLockBack() throws {
    try withLocks { first, second throws in
      #expect(try first.tryLock())
      first.close()
      first.close()
      #expect(try second.tryLock())
      let error = #expect(throws: SystemError.self) { _ = try first.tryLock() }
      #expect(error?.code == .closed)
    }
  }

  @Test func readingTheFileElsewhereKeepsTheLock() throws {
    try withLocks { first, second throws in
      #expect(try first.tryLock())
      _ = try FileSystem.readPrefix(first.path, maximumBytes: 100)
      #expect(try !second.tryLock())
    }
  }

  @Test func contentsAreReplacedWhole() throws {
    try withLocks { first, second throws in
      try first.writeContents(Array("a long note".utf8))
      try first.writeContents(Array("short".utf8))
      #expect(try second.readContents(maximum: 100) == Array("short".utf8))
      #expect(try second.readContents(maximum: 2) == Array("sh".utf8))
      #expect(try second.readContents(maximum: 0) == [])
    }
  }

  private func withLocks(_ body: (FileLock, FileLock) throws -> Void) throws {
    try withDirectory { directory in
      let first = try FileLock.open("\(directory)/lock")
      let second = try FileLock.open("\(directory)/lock")
      try body(first, second)
    }
  }
}

/// Files of a ledger whose names something else has.
@Suite(.timeLimit(.minutes(10))) struct StrangeFileTests {
  @Test(arguments: ["pipe", "directory", "link", "dangling"])
  func anythingButARegularFileIsRefusedAtOnce(kind: String) throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically([1], to: "\(directory)/file")
      try FileSystem.createDirectory("\(directory)/directory")
      try #require(unsafe mkfifo("\(directory)/pipe", 0o600) == 0)
      try #require(unsafe symlink("file", "\(directory)/link") == 0)
      try #require(unsafe symlink("none", "\(directory)/dangling") == 0)
      let path = "\(directory)/\(kind)"
      let attempts: [() throws -> Void] = [
        { _ = try FileLock.open(path) }, { _ = try SharedWords(path: path) },
        { _ = try FileSystem.readPrefix(path, maximumBytes: 9) },
      ]
      for attempt in attempts {
        let error = #expect(throws: SystemError.self) { try attempt() }
        #expect(error?.code == .notRegularFile)
        #expect(error?.path == path)
      }
      #expect(try FileSystem.readPrefix("\(directory)/file", maximumBytes: 9) == [1])
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root works for others"))
  func filesThatRootMakesBelongToTheOwnerOfTheDirectory() throws {
    try withDirectory { directory in
      try #require(unsafe chown(directory, 65_534, 65_533) == 0)
      try FileLock.open("\(directory)/lock").close()
      try SharedWords(path: "\(directory)/words").close()
      let handle = try DirectoryHandle(directory)
      try handle.createSharedDirectory("below")
      for name in ["lock", "words", "below"] {
        let facts = try handle.facts(of: name)
        #expect(facts?.owner == 65_534 && facts?.group == 65_533, "\(name)")
      }
    }
  }

  /// The attack: the path leads elsewhere once the directory was looked at.
  @Test(.enabled(if: geteuid() == 0, "only root works for others"))
  func filesThatRootMakesAreInTheDirectoryThatItChecked() throws {
    try withDirectory { directory in
      try FileSystem.createDirectory("\(directory)/mine")
      try FileSystem.createDirectory("\(directory)/foreign")
      try #require(unsafe chown("\(directory)/mine", 65_534, 65_534) == 0)
      let handle = try DirectoryHandle("\(directory)/mine")
      try FileManager.default.moveItem(atPath: "\(directory)/mine", toPath: "\(directory)/moved")
      try #require(unsafe symlink("\(directory)/foreign", "\(directory)/mine") == 0)
      try FileLock.open("lock", in: handle).close()
      #expect(try handle.facts(of: "lock")?.owner == 65_534)
      #expect(try FileSystem.list("\(directory)/foreign") == [])
    }
  }

  @Test func aFileThatIsLockedIsNotRemoved() throws {
    try withDirectory { directory in
      let handle = try DirectoryHandle(directory)
      let lock = try FileLock.open("lock", in: handle)
      try #require(try lock.tryLock())
      #expect(try !FileLock.removeUnlessHeld("lock", in: handle))
      #expect(try lock.isNamed)
      lock.unlock()
      #expect(try FileLock.removeUnlessHeld("lock", in: handle))
      #expect(try !lock.isNamed)
      #expect(try handle.list() == [])
    }
  }
}
