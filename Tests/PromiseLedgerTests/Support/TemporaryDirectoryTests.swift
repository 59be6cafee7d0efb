import LedgerSystem
import PromiseLedgerTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct TemporaryDirectoryTests {
  /// The parent of a test's directories. It is new, so the first directory in it removes the
  /// remains.
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
  }

  private var names: [String] {
    get throws { try FileSystem.list(place.path) }
  }

  private static func leaveOne(in place: String) throws {
    let directory = try TemporaryDirectory(in: place)
    try FileSystem.createDirectory(directory.path + "/ledger")
    kill(getpid(), SIGKILL)
  }

  @Test func itGoesWithItsLastReference() throws {
    var directory: TemporaryDirectory? = try TemporaryDirectory(in: place.path)
    #expect(try names.count == 1)
    _ = directory
    directory = nil
    #expect(try names == [])
  }

  @Test func remainsOfAKilledProcessAreRemovedByTheNext() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = place.path as String] in
      try Self.leaveOne(in: place)
    }
    #expect(try names.count == 1)
    let next = try TemporaryDirectory(in: place.path)
    #expect(try names.map { place.path + "/" + $0 } == [next.path])
  }

  @Test func thatOfALivingProcessStays() async throws {
    let living = try TemporaryDirectory(in: place.path)
    await #expect(processExitsWith: .success) { [place = place.path as String] in
      _ = try TemporaryDirectory(in: place)
    }
    #expect(try names.map { place.path + "/" + $0 } == [living.path])
  }

  @Test func filesWithOtherNamesStay() throws {
    let others = ["promise-ledger-tests", ".promise-ledger-tests", ".other.new-0123456789ab"]
    for name in others { try FileSystem.createDirectory(place.path + "/" + name) }
    let next = try TemporaryDirectory(in: place.path)
    #expect(try names.count == others.count + 1, "\(next.path)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func thatOfAnotherUserStays() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = place.path as String] in
      try Self.leaveOne(in: place)
    }
    let left = try #require(try names.first)
    try #require(unsafe chown(place.path + "/" + left, 1, 1) == 0)
    let next = try TemporaryDirectory(in: place.path)
    #expect(try names.contains(left), "\(next.path)")
  }
}
