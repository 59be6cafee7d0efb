import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import PromiseLedger

/// What stands beside a ledger's place before the ledger does.
struct UnfinishedLedgerTests {
  @Test func whatALivingMakerHasStays() throws {
    let temporary = try TemporaryLedger()
    let path = temporary.path
    do {
      let unfinished = try UnfinishedLedger(beside: path)
      try UnfinishedLedger.removeLeftovers(beside: path)
      #expect(try FileSystem.uniqueDirectories(beside: path) == [unfinished.directory.path])
      #expect(try FileSystem.list(unfinished.directory.path) == ["making"])
    }
    #expect(try FileSystem.uniqueDirectories(beside: path) == [], "it was let go")
  }

  @Test func whatADeadMakerLeftGoes() throws {
    let temporary = try TemporaryLedger()
    let path = temporary.path
    let left = try FileSystem.createUniqueDirectory(beside: path)
    try FileSystem.createDirectory(left + "/sessions")
    try FileSystem.writeAtomically([], to: left + "/making")
    // Perhaps its maker is about to lock it.
    let fresh = try FileSystem.createUniqueDirectory(beside: path)
    try UnfinishedLedger.removeLeftovers(beside: path)
    #expect(try FileSystem.uniqueDirectories(beside: path) == [fresh])
  }

  @Test func aFinishedLedgerKeepsNothingOfIt() throws {
    let temporary = try TemporaryLedger()
    let path = temporary.path
    try UnfinishedLedger(beside: path).move(to: path)
    #expect(try FileSystem.uniqueDirectories(beside: path) == [])
    #expect(try FileSystem.list(path) == [])
    try FileSystem.writeAtomically([], to: path + "/file")
    #expect(throws: SystemError.self) { try UnfinishedLedger(beside: path).move(to: path) }
    #expect(try FileSystem.uniqueDirectories(beside: path) == [])
  }
}
