import Foundation
import LedgerLMDB
import Testing

/// The file where readers announce themselves.
struct LockFileTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private var lockFile: String { scratch.environmentPath + "/lock.mdb" }

  /// LMDB writes it through a map: a block that a full disk cannot give would end the process.
  @Test func itHasAllItsBlocksBeforeItIsMapped() throws {
    let environment = try scratch.open()
    var facts = stat()
    try #require(unsafe stat(lockFile, &facts) == 0)
    #expect(facts.st_size == 65_536)
    #expect(facts.st_blocks * 512 >= facts.st_size)
    try environment.close()
  }

  @Test func aSparseOneOfACopyGetsItsBlocks() throws {
    try scratch.open().close()
    try #require(unsafe truncate(lockFile, 0) == 0)
    try #require(unsafe truncate(lockFile, 65_536) == 0)
    let environment = try scratch.open()
    var facts = stat()
    try #require(unsafe stat(lockFile, &facts) == 0)
    #expect(facts.st_size == 65_536)
    #expect(facts.st_blocks * 512 >= facts.st_size)
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
    // More are possible once nobody has it open.
    try environment.close()
    configuration.maximumReaders = Configuration.defaultMaximumReaders
    let anew = try scratch.open(configuration)
    #expect(try anew.info().maximumReaders == 1_022)
    try anew.close()
  }
}
