import LedgerSystem
import Testing

@Suite struct FileLockTests {
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

  @Test func probeSeesAHolderAndLeavesNoTrace() throws {
    try withLocks { first, second throws in
      #expect(try !FileLock.isHeld(first.path))
      #expect(try first.tryLock())
      #expect(try FileLock.isHeld(first.path))
      first.unlock()
      #expect(try !FileLock.isHeld(first.path))
      #expect(try second.tryLock())
    }
  }

  @Test func probeOfAMissingFileSaysNotHeld() throws {
    #expect(try !FileLock.isHeld("/nonexistent/lock"))
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
      _ = try FileSystem.read(first.path, maximumBytes: 100)
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
