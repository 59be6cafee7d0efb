import Foundation
import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The files beside a ledger's place before the ledger exists.
@Suite(.timeLimit(.minutes(10)))
struct UnfinishedLedgerTests {
  private static let isRoot = geteuid() == 0

  private let temporary: TemporaryLedger
  private var parent: String { FileSystem.parent(of: temporary.path) }
  /// A name that the making of the ledger may have.
  private var leftover: String { "\(parent)/.ledger.new-0123456789ab" }

  init() throws { temporary = try TemporaryLedger() }

  private func place() throws -> LedgerPlace { try LedgerPlace(LedgerDirectory(temporary.path)) }

  private func removeLeftovers(looked: (String) -> Void = { _ in }) throws {
    UnfinishedLedger.removeLeftovers(at: try place(), looked: looked)
  }

  /// Everything below a directory that can be listed, including the targets of links.
  private func tree(_ path: String) throws -> [String] {
    try FileSystem.list(path).flatMap { name -> [String] in
      let entry = "\(path)/\(name)"
      guard try FileSystem.kind(entry) == .directory, !FileSystem.isSymbolicLink(entry) else {
        return [name]
      }
      return try [name] + tree(entry).map { "\(name)/\($0)" }
    }
  }

  /// A left-over with everything that the making of a ledger makes.
  private func makeLeftover() throws {
    try FileSystem.createDirectory(leftover)
    let generation = "\(leftover)/\(LedgerDirectory.firstGeneration)"
    for path in [generation, "\(generation)/.data.mdb.new-0123456789ab", "\(leftover)/sessions"] {
      try FileSystem.createDirectory(path)
    }
    for name in ["making", "CURRENT", ".CURRENT.new-0123456789ab", "gate", "wake", "compaction"] {
      try FileSystem.writeAtomically([1], to: "\(leftover)/\(name)")
    }
    for directory in [generation, "\(generation)/.data.mdb.new-0123456789ab"] {
      for name in ["data.mdb", "lock.mdb"] {
        try FileSystem.writeAtomically([1], to: "\(directory)/\(name)")
      }
    }
  }

  // MARK: Files that are removed

  @Test func filesOfALivingMakerStay() throws {
    do {
      let unfinished = try UnfinishedLedger(at: place())
      try removeLeftovers()
      let names = try FileSystem.list(parent)
      #expect(names.count == 1 && TemporaryName.target(of: names[0]) == "ledger")
      #expect(try FileSystem.list(unfinished.directory.path) == ["making"])
    }
    #expect(try FileSystem.list(parent) == [], "it was let go")
  }

  @Test func remainsOfADeadMakerAreRemoved() throws {
    try makeLeftover()
    try removeLeftovers()
    #expect(try FileSystem.list(parent) == [])
  }

  /// Killed before the mark was there, with the mark alone, and at the end of a removal.
  @Test(arguments: [[], ["making"]])
  func remainsOfAMakersFirstStepsAreRemoved(names: [String]) throws {
    try FileSystem.createDirectory(leftover)
    for name in names { try FileSystem.writeAtomically([], to: "\(leftover)/\(name)") }
    try removeLeftovers()
    #expect(try FileSystem.list(parent) == [])
  }

  @Test func aCreationGoesOnAfterItsDirectoryWasTakenForALeftover() async throws {
    // Removed in the instant between its making and its lock: the maker takes another name.
    for _ in 0..<20 {
      async let removal: Void = Task.detached { for _ in 0..<50 { try removeLeftovers() } }.value
      try UnfinishedLedger(at: place()).move()
      try await removal
      #expect(try FileSystem.list(parent) == ["ledger"])
      try FileSystem.removeTree(temporary.path)
    }
  }

  @Test func aFinishedLedgerKeepsNothingOfIt() throws {
    try UnfinishedLedger(at: place()).move()
    #expect(try FileSystem.list(parent) == ["ledger"])
    #expect(try FileSystem.list(temporary.path) == [])
    try FileSystem.writeAtomically([], to: temporary.path + "/file")
    #expect(throws: SystemError.self) { try UnfinishedLedger(at: place()).move() }
    #expect(try tree(parent) == ["ledger", "ledger/file"])
  }

  @Test func theMarkThatAKillLeftGoesAtTheNextOpening() async throws {
    await (try temporary.open()).close()
    try FileSystem.writeAtomically([], to: temporary.path + "/making")
    await (try temporary.open()).close()
    #expect(try FileSystem.kind(temporary.path + "/making") == nil)
  }

  @Test func aFileOfThatNameWithAContentStays() async throws {
    await (try temporary.open()).close()
    try FileSystem.writeAtomically([1], to: temporary.path + "/making")
    await (try temporary.open()).close()
    #expect(try FileSystem.readPrefix(temporary.path + "/making", maximumBytes: 9) == [1])
  }

  // MARK: Files that stay

  @Test(arguments: [
    "file", "generation-000001/file", "generation-000001/.data.mdb.new-0123456789ab/file",
    "sessions/file",
    "generation-000002", ".CURRENT.new-mine", ".hidden",
  ])
  func aDirectoryWithAnythingElseIsLeftAlone(name: String) throws {
    try makeLeftover()
    try FileSystem.writeAtomically([1], to: "\(leftover)/\(name)")
    let before = try tree(parent)
    try removeLeftovers()
    #expect(try tree(parent) == before)
  }

  @Test func aDirectoryOfTheUsersOwnWithAFileMakingIsLeftAlone() throws {
    try FileSystem.createDirectory(leftover)
    try FileSystem.createDirectory(leftover + "/photos")
    for name in ["making", "photos/1.jpg"] {
      try FileSystem.writeAtomically([1], to: "\(leftover)/\(name)")
    }
    let before = try tree(parent)
    try removeLeftovers()
    #expect(try tree(parent) == before)
  }

  @Test(arguments: ["making", "CURRENT", "generation-000001", "generation-000001/data.mdb"])
  func aDirectoryWithALinkIsLeftAlone(name: String) throws {
    try makeLeftover()
    let foreign = parent + "/foreign"
    try FileSystem.createDirectory(foreign)
    try FileSystem.writeAtomically([1], to: foreign + "/data.mdb")
    try FileSystem.removeTree("\(leftover)/\(name)")
    try #require(unsafe symlink(foreign, "\(leftover)/\(name)") == 0)
    let before = try tree(parent)
    try removeLeftovers()
    #expect(try tree(parent) == before)
  }

  @Test func aLinkWithTheNameOfALeftoverIsLeftAlone() throws {
    try makeLeftover()
    try FileManager.default.moveItem(atPath: leftover, toPath: parent + "/foreign")
    try #require(unsafe symlink(parent + "/foreign", leftover) == 0)
    let before = try tree(parent)
    try removeLeftovers()
    #expect(try tree(parent) == before)
  }

  @Test func aDirectoryThatOthersMayReadIsLeftAlone() throws {
    try makeLeftover()
    try #require(unsafe chmod(leftover, 0o755) == 0)
    let before = try tree(parent)
    try removeLeftovers()
    #expect(try tree(parent) == before)
  }

  /// Another user who may write here gives a ledger the name of a left-over.
  @Test func aLedgerThatWasRenamedIsLeftAlone() async throws {
    await (try temporary.open()).close()
    try FileManager.default.moveItem(atPath: temporary.path, toPath: leftover)
    let before = try tree(parent)
    await (try temporary.open()).close()
    #expect(try tree(parent).filter { $0.hasPrefix(".ledger") } == before)
  }

  @Test(
    .enabled(if: isRoot, "only root can give a file away"),
    arguments: ["", "/making", "/generation-000001", "/generation-000001/data.mdb", "/sessions"])
  func filesOfAnotherUserAreLeftAlone(name: String) throws {
    try makeLeftover()
    try #require(unsafe lchown(leftover + name, 65_534, 65_534) == 0)
    let before = try tree(parent)
    try removeLeftovers()
    #expect(try tree(parent) == before)
  }

  /// The attack: the name leads elsewhere once it was looked at.
  @Test(arguments: [false, true])
  func nothingElseGoesIfTheNameLeadsElsewhereAfterTheLook(isLink: Bool) throws {
    try makeLeftover()
    let foreign = parent + "/foreign"
    try FileSystem.createDirectory(foreign)
    try FileSystem.createDirectory(foreign + "/generation-000001")
    for name in ["making", "CURRENT", "photo", "generation-000001/data.mdb"] {
      try FileSystem.writeAtomically([1], to: "\(foreign)/\(name)")
    }
    let victim = isLink ? foreign : leftover
    let before = try tree(foreign)
    var swaps = 0
    try removeLeftovers { _ in
      swaps += 1
      #expect(throws: Never.self) {
        try FileManager.default.moveItem(atPath: leftover, toPath: parent + "/moved")
        if isLink {
          #expect(unsafe symlink(foreign, leftover) == 0)
        } else {
          try FileManager.default.moveItem(atPath: foreign, toPath: leftover)
        }
      }
    }
    #expect(swaps == 1)
    #expect(try tree(victim) == before)
  }
}
