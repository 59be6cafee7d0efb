import LedgerSystem
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite(.timeLimit(.minutes(1))) struct ProcessIdentityTests {
  private let own = ProcessIdentity.current

  @Test func thisProcessRuns() {
    #expect(own.id == ThisProcess.id)
    #expect(own.isRunning)
    #expect(ProcessIdentity.current == own)
  }

  #if os(Linux)
    @Test func theSystemTellsEverything() {
      #expect(own.boot.utf8.count == 36)
      #expect(own.startTime > 0)
    }

    @Test func aProcessThatEndedAndWasNotCollectedIsGone() throws {
      let child = try ChildProcess(["/bin/sleep", "600"], environment: [])
      let identity = ProcessIdentity(
        boot: own.boot, id: child.id, startTime: ThisProcess.startTime(of: child.id) ?? 0)
      #expect(identity.isRunning)
      child.send(signal: 9)
      // Until it is a zombie, according to its state in /proc.
      while identity.isRunning {}
      #expect(ThisProcess.startTime(of: child.id) == identity.startTime)
      _ = child.wait()
      #expect(!identity.isRunning)
    }

    @Test func anotherProcessWithTheSameIdIsNotIt() {
      #expect(
        !ProcessIdentity(boot: own.boot, id: own.id, startTime: own.startTime - 1).isRunning)
    }
  #endif

  @Test func aProcessOfAnEarlierStartOfTheMachineIsGone() {
    let boot = "00000000-0000-4000-8000-000000000000"
    #expect(!ProcessIdentity(boot: boot, id: own.id, startTime: own.startTime).isRunning)
  }

  @Test func aStartOfTheMachineThatIsUnknownIsNotCompared() {
    let unknown = ProcessIdentity(
      boot: ProcessIdentity.unknownBoot, id: own.id, startTime: own.startTime)
    #expect(unknown.isRunning)
    #expect(own.isRunning(sinceBoot: ProcessIdentity.unknownBoot))
    let gone = ProcessIdentity(boot: ProcessIdentity.unknownBoot, id: .max, startTime: 1)
    #expect(!gone.isRunning)
    #expect(!gone.isRunning(sinceBoot: ProcessIdentity.unknownBoot))
  }

  /// With all descriptors in use `/proc` cannot be read.
  @Test func aBootThatCouldNotBeReadOnceIsReadLater() async {
    await #expect(processExitsWith: .success) {
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let resource = RLIMIT_NOFILE
      #endif
      var limit = rlimit()
      try #require(unsafe getrlimit(resource, &limit) == 0)
      var none = limit
      none.rlim_cur = 0
      try #require(unsafe setrlimit(resource, &none) == 0)
      let early = ProcessIdentity.current
      try #require(unsafe setrlimit(resource, &limit) == 0)
      let late = ProcessIdentity.current
      try #require(early.isRunning && late.isRunning)
      #if os(Linux)
        try #require(early.boot == ProcessIdentity.unknownBoot)
        try #require(late.boot != ProcessIdentity.unknownBoot)
      #endif
    }
  }

  @Test func aProcessWhoseStartIsUnknownRunsWhileItsIdIsTaken() {
    #expect(ProcessIdentity(boot: own.boot, id: own.id, startTime: 0).isRunning)
    #expect(!ProcessIdentity(boot: own.boot, id: .max, startTime: 0).isRunning)
  }

  @Test func theTextSaysEverything() throws {
    #expect(ProcessIdentity("\(own)") == own)
    let other = ProcessIdentity(boot: "-", id: 1, startTime: .max)
    #expect("\(other)" == "- 1 18446744073709551615")
    #expect(ProcessIdentity("\(other)") == other)
  }

  @Test(arguments: [
    "", "- 1", "- 1 2 3", " 1 2", "- 0 2", "- -1 2", "- +1 2", "- 01 2", "- 1 -2", "- 2147483648 2",
    "- 1 18446744073709551616", "- 1 2 ", "ä 1 2", "0123456789012345678901234567890123456 1 2",
  ])
  func otherTextIsNoIdentity(text: String) {
    #expect(ProcessIdentity(text) == nil)
  }
}
