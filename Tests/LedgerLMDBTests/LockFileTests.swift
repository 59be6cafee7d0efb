import Foundation
import Testing

@testable import LedgerLMDB

/// The file in which readers register.
@Suite(.timeLimit(.minutes(10)))
struct LockFileTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private var lockFile: String { scratch.environmentPath + "/lock.mdb" }

  /// Checks that the file has its usual length, and a disk block for each part of it.
  private func expectAllBlocks(sourceLocation: SourceLocation = #_sourceLocation) throws {
    var facts = stat()
    try #require(unsafe stat(lockFile, &facts) == 0, sourceLocation: sourceLocation)
    #expect(facts.st_size == 65_536, sourceLocation: sourceLocation)
    #expect(facts.st_blocks * 512 >= facts.st_size, sourceLocation: sourceLocation)
  }

  /// LMDB writes it through a map: a block that a full disk cannot give would end the process.
  @Test func itHasAllItsBlocksBeforeItIsMapped() throws {
    let environment = try scratch.open()
    try expectAllBlocks()
    try environment.close()
  }

  @Test func aSparseOneOfACopyGetsItsBlocks() throws {
    try scratch.open().close()
    try #require(unsafe truncate(lockFile, 0) == 0)
    try #require(unsafe truncate(lockFile, 65_536) == 0)
    let environment = try scratch.open()
    try expectAllBlocks()
    try environment.close()
  }

  @Test func asManyReadersAsItHasSlotsForRunAtOnce() throws {
    var configuration = Configuration(maximumReaders: 20, durability: .noneForTests)
    let environment = try scratch.open(configuration)
    let slotCount = try environment.info().maximumReaders
    func nest(_ depth: Int) throws {
      guard depth > 0 else { return }
      try environment.read { _ in try nest(depth - 1) }
    }
    try nest(slotCount)
    let error = lmdbError { try nest(slotCount + 1) }
    #expect(error?.status == .readersFull)
    #expect(error?.message.contains("Close some of them") == true)
    // More are possible once no process has it open.
    try environment.close()
    configuration.maximumReaders = Configuration.defaultMaximumReaders
    let anew = try scratch.open(configuration)
    #expect(try anew.info().maximumReaders == 1_022)
    try anew.close()
  }

  #if os(Linux)
    /// The attack: after the check, the path of the directory leads elsewhere.
    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: [false, true])
    func filesThatRootGivesAwayAreInTheDirectoryThatItChecked(isMade: Bool) throws {
      let (mine, foreign) = (scratch.path + "/mine", scratch.path + "/foreign")
      for path in [mine, foreign] {
        try #require(unsafe mkdir(path, 0o700) == 0)
        try #require(unsafe chown(path, 65_534, 65_534) == 0)
      }
      try Data([1]).write(to: URL(fileURLWithPath: foreign + "/lock.mdb"))
      let file = try LockFile(in: mine)
      try #require(unsafe rename(mine, scratch.path + "/moved") == 0)
      try #require(unsafe symlink(foreign, mine) == 0)
      if isMade { _ = try file.reserve(readers: 1) }
      file.giveToOwnerIfMade()
      #expect(try owner(foreign + "/lock.mdb") == 0)
      #expect(try Data(contentsOf: URL(fileURLWithPath: foreign + "/lock.mdb")) == Data([1]))
      if isMade { #expect(try owner(scratch.path + "/moved/lock.mdb") == 65_534) }
    }

    private func owner(_ path: String) throws -> uid_t {
      var facts = stat()
      try #require(unsafe lstat(path, &facts) == 0)
      return facts.st_uid
    }
  #endif

  @Test func aFileThatGrowsForMoreReadersHasItsBlocksBefore() throws {
    var configuration = Configuration(maximumReaders: 20, durability: .noneForTests)
    try scratch.open(configuration).close()
    configuration.maximumReaders = 1_022
    let environment = try scratch.open(configuration)
    try expectAllBlocks()
    try environment.close()
  }

  @Test func itHasExactlyTheSlotsThatWereAskedFor() throws {
    let environment = try scratch.open(
      Configuration(maximumReaders: 77, durability: .noneForTests))
    #expect(try environment.info().maximumReaders == 77)
    try environment.close()
  }
}
