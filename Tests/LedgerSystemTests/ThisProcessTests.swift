import LedgerSystem
import Testing

@Suite(.timeLimit(.minutes(10))) struct ThisProcessTests {
  @Test func thisProcessIsAlive() {
    #expect(ThisProcess.isAlive(ThisProcess.id))
  }

  @Test(arguments: [0, -1, .max] as [Int32])
  func groupsAndImpossibleIdsAreNotAlive(id: Int32) {
    #expect(!ThisProcess.isAlive(id))
  }

  #if os(Linux)
    @Test func startTimeIsThatOfTheProcess() throws {
      let own = try #require(ThisProcess.startTime(of: ThisProcess.id))
      #expect(ThisProcess.startTime(of: ThisProcess.id) == own)
      let first = try #require(ThisProcess.startTime(of: 1))
      #expect(first < own)
      #expect(ThisProcess.startTime(of: .max) == nil)
    }
  #endif

  @Test func hostHasAName() {
    #expect(!ThisProcess.hostName.isEmpty)
  }

  @Test func clocksRunForwards() {
    let (wall, monotonic) = (WallClock.nowNanoseconds, MonotonicClock.now)
    #expect(wall > 1_700_000_000_000_000_000)
    #expect(MonotonicClock.now >= monotonic)
  }
}
