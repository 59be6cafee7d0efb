import LedgerLinearizability
import Testing

/// What the lines of processes mean, and the rules of promises, handlers and work.
@Suite(.timeLimit(.minutes(10))) struct RecordedHistoriesTests {
  /// Histories by the lines that processes printed; deaths as `killed PROCESS TIME SESSION`.
  private static func findings(_ text: String) -> [String] {
    var histories = RecordedHistories()
    for line in text.split(separator: "\n").map(String.init) {
      let words = line.split(separator: " ").map(String.init)
      if words[0] == "killed", let time = Int64(words[2]) {
        histories.noteDeath(of: words[1], session: words[3], between: time, and: time + 1)
      } else {
        let isTaken = histories.note(line)
        #expect(isTaken, "\(line)")
      }
    }
    return histories.check().findings
  }

  @Test(arguments: ["", "hello", "call a.1 x 0/p0 read", "call a.1 5 0/p0", "answer b.9 5 none"])
  func anyOtherLineIsRefused(line: String) {
    var histories = RecordedHistories()
    let isTaken = histories.note(line)
    #expect(!isTaken)
  }

  @Test func anObjectOfNoKnownKindIsAFinding() {
    #expect(Self.findings("call a.1 1 0/x read\nanswer a.1 2 none").count == 1)
  }

  // MARK: Promises

  private static let created = "call a.1 1 0/p0 create lax\nanswer a.1 2 created\n"
  private static let fulfilled =
    created + "call a.2 3 0/p0 settle fulfilled:7 k strict\nanswer a.2 4 resolved\n"

  @Test(arguments: [
    fulfilled + "call b.1 5 0/p0 read\nanswer b.1 6 resolved fulfilled:7",
    fulfilled
      + "call b.1 5 0/p0 settle rejected:8 - strict\nanswer b.1 6 alreadyResolved fulfilled:7",
    fulfilled + "call b.1 5 0/p0 settle rejected:8 k lax\nanswer b.1 6 deduplicated fulfilled:7",
    fulfilled
      + "call b.1 5 0/p0 settle rejected:8 k strict\nanswer b.1 6 alreadyResolved fulfilled:7",
    fulfilled + "call b.1 5 0/p0 consume s\nanswer b.1 6 value fulfilled:7\n"
      + "call c.1 7 0/p0 consume t\nanswer c.1 8 alreadyConsumed\n"
      + "call b.2 7 0/p0 consume s\nanswer b.2 8 value fulfilled:7\n"
      + "call b.3 7 0/p0 consume-after s\nanswer b.3 8 alreadyConsumed",
    // Two calls of one session handle the outcome before either is recorded.
    fulfilled + "call b.1 5 0/p0 consume-after s\ncode b.1 6 fulfilled:7\n"
      + "call b.2 5 0/p0 consume-after s\ncode b.2 6 fulfilled:7\n"
      + "answer b.1 8 value fulfilled:7\nanswer b.2 9 value fulfilled:7",
    created + "call b.1 3 0/p0 consume s\ncall c.1 4 0/p0 settle cancelled:9 - lax\n"
      + "answer c.1 6 resolved\nanswer b.1 7 value cancelled:9",
    created + "call b.1 3 0/p0 consume s\nanswer b.1 7 nothing\ncall c.1 8 0/p0 read\n"
      + "answer c.1 9 pending",
    created + "call b.1 3 0/p0 settle rejected:8 - lax\nkilled b 5 s\ncall c.1 8 0/p0 read\n"
      + "answer c.1 9 pending",
    created + "call b.1 3 0/p0 settle rejected:8 - lax\nanswer b.1 5 unknown\n"
      + "call c.1 8 0/p0 read\nanswer c.1 9 resolved rejected:8",
    fulfilled + "call b.1 5 0/p0 abandon\nanswer b.1 6 abandoned\n"
      + "call b.2 7 0/p0 settle fulfilled:7 k lax\nanswer b.2 8 abandoned\n"
      + "call b.3 9 0/p0 outcome\nanswer b.3 10 promiseAbandoned",
  ])
  func theseHistoriesOfPromisesAreLinearizable(text: String) {
    #expect(Self.findings(text) == [])
  }

  @Test(arguments: [
    // A read that misses an acknowledged commit of another process.
    fulfilled + "call b.1 5 0/p0 read\nanswer b.1 6 pending",
    // Two consumers.
    fulfilled + "call b.1 5 0/p0 consume s\nanswer b.1 6 value fulfilled:7\n"
      + "call c.1 5 0/p0 consume t\nanswer c.1 6 value fulfilled:7",
    // Two resolutions.
    fulfilled + "call b.1 3 0/p0 settle rejected:8 - strict\nanswer b.1 4 resolved",
    // A resolution that is lost.
    fulfilled + "call b.1 5 0/p0 settle rejected:8 - strict\nanswer b.1 6 resolved",
    // A consumption that nothing shows.
    fulfilled + "call b.1 5 0/p0 consume s\nanswer b.1 6 value fulfilled:7\n"
      + "call b.2 7 0/p0 read\nanswer b.2 8 resolved fulfilled:7",
    // What a killed process asked for happens late.
    created + "call b.1 3 0/p0 settle rejected:8 - lax\nkilled b 5 s\ncall c.1 8 0/p0 read\n"
      + "answer c.1 9 pending\ncall c.2 10 0/p0 read\nanswer c.2 11 resolved rejected:8",
    // Another key.
    fulfilled + "call b.1 5 0/p0 settle fulfilled:7 j lax\nanswer b.1 6 deduplicated fulfilled:7",
    // Code that handles an outcome that is consumed.
    fulfilled + "call b.1 5 0/p0 consume s\nanswer b.1 6 value fulfilled:7\n"
      + "call b.2 7 0/p0 consume-after s\ncode b.2 8 fulfilled:7\nanswer b.2 9 value fulfilled:7",
    // Code of two sessions, of which both consume.
    fulfilled + "call b.1 5 0/p0 consume-after s\ncode b.1 6 fulfilled:7\n"
      + "call c.1 5 0/p0 consume-after t\ncode c.1 6 fulfilled:7\n"
      + "answer b.1 8 value fulfilled:7\nanswer c.1 9 value fulfilled:7",
    // A strict creation of a settled promise.
    fulfilled + "call b.1 5 0/p0 create strict\nanswer b.1 6 deduplicated",
  ])
  func theseHistoriesOfPromisesAreNot(text: String) {
    #expect(Self.findings(text).count == 1)
  }

  // MARK: Handlers

  private static let bound = "call a.1 1 0/h0 create 5 one-shot\nanswer a.1 2 created\n"
  private static let running = bound + "call b.1 3 0/h0 call s\ncode b.1 5 5\n"

  @Test(arguments: [
    running + "answer b.1 8 returned\ncall c.1 9 0/h0 call t\nanswer c.1 10 handlerFinished",
    running + "call c.1 6 0/h0 call t\nanswer c.1 7 handlerRunning\nanswer b.1 8 returned",
    running + "call c.1 6 0/h0 rebind 6\nanswer c.1 7 rebound\nanswer b.1 8 returned",
    // A call of a dead session runs again, with its first argument.
    running + "call c.1 6 0/h0 rebind 6\nanswer c.1 7 rebound\nkilled b 8 s\n"
      + "call c.2 12 0/h0 call t\ncode c.2 13 5\nanswer c.2 14 returned",
    // Unless it has ended without an answer.
    running + "killed b 8 s\ncall c.2 12 0/h0 call t\nanswer c.2 13 handlerFinished",
    // A call whose commit is unknown is still the session's own.
    bound + "call b.1 3 0/h0 call s\nanswer b.1 5 unknown\n"
      + "call c.1 6 0/h0 call t\nanswer c.1 7 handlerRunning\ncall b.2 8 0/h0 call s\n"
      + "code b.2 9 5\nanswer b.2 10 returned",
    running + "call c.1 6 0/h0 invalidate\nanswer c.1 7 invalidated\nanswer b.1 8 returned\n"
      + "call c.2 9 0/h0 read\nanswer c.2 10 invalidated 5",
    "call a.1 1 0/h1 create 5 repeating\nanswer a.1 2 created\n"
      + "call b.1 3 0/h1 call s\ncode b.1 4 5\ncall c.1 3 0/h1 call t\ncode c.1 4 5\n"
      + "answer b.1 8 returned\nanswer c.1 8 returned",
  ])
  func theseHistoriesOfHandlersAreLinearizable(text: String) {
    #expect(Self.findings(text) == [])
  }

  @Test(arguments: [
    // Two calls of a one-shot handler.
    running + "answer b.1 6 returned\ncall c.1 7 0/h0 call t\ncode c.1 8 5\nanswer c.1 9 returned",
    running + "call c.1 3 0/h0 call t\ncode c.1 5 5\nanswer b.1 6 returned\nanswer c.1 6 returned",
    // A call without the newest argument.
    bound + "call a.2 3 0/h0 rebind 6\nanswer a.2 4 rebound\ncall b.1 5 0/h0 call s\ncode b.1 6 5",
    // A call of a living session that is taken over.
    running + "call c.1 6 0/h0 call t\ncode c.1 7 5",
    // A call after the invalidation.
    bound + "call a.2 3 0/h0 invalidate\nanswer a.2 4 invalidated\ncall b.1 5 0/h0 call s\n"
      + "code b.1 6 5",
    // A call that was given back and is run with other arguments.
    running + "call c.1 6 0/h0 rebind 6\nanswer c.1 7 rebound\nkilled b 8 s\n"
      + "call c.2 12 0/h0 call t\ncode c.2 13 6",
  ])
  func theseHistoriesOfHandlersAreNot(text: String) {
    #expect(Self.findings(text).count == 1)
  }

  // MARK: Work

  private static let started = "call a.1 1 0/w0 start\nanswer a.1 2 started\n"

  @Test(arguments: [
    started + "returns b.1 3 0/w0 b.1\ncall a.2 5 0/w0 read\nanswer a.2 6 resolved fulfilled:b.1",
    started + "returns b.1 3 0/w0 b.1\ncall a.2 5 0/w0 read\nanswer a.2 6 pending",
    started + "call a.2 3 0/w0 cancel 4\nanswer a.2 4 requested\n"
      + "call a.3 5 0/w0 read\nanswer a.3 6 resolved cancelled:4",
    started + "call a.2 3 0/w0 cancel 4\nanswer a.2 4 requested\nreturns b.1 5 0/w0 b.1\n"
      + "call a.3 7 0/w0 outcome\nanswer a.3 9 value fulfilled:b.1",
    started + "returns b.1 3 0/w0 b.1\ncall a.2 5 0/w0 force rejected:6\nanswer a.2 6 resolved\n"
      + "call a.3 7 0/w0 cancel 8\nanswer a.3 8 alreadyEnded rejected:6",
  ])
  func theseHistoriesOfWorkAreLinearizable(text: String) {
    #expect(Self.findings(text) == [])
  }

  @Test(arguments: [
    // A value that no code returned.
    started + "call a.2 5 0/w0 read\nanswer a.2 6 resolved fulfilled:b.1",
    // A result before the code returned.
    started + "call a.2 5 0/w0 read\nanswer a.2 6 resolved fulfilled:b.1\nreturns b.1 7 0/w0 b.1",
    // Two results.
    started + "returns b.1 3 0/w0 b.1\nreturns c.1 3 0/w0 c.1\n"
      + "call a.2 5 0/w0 read\nanswer a.2 6 resolved fulfilled:b.1\n"
      + "call a.3 7 0/w0 read\nanswer a.3 8 resolved fulfilled:c.1",
    // A result after the cancellation.
    started + "call a.2 3 0/w0 cancel 4\nanswer a.2 4 cancelled\nreturns b.1 3 0/w0 b.1\n"
      + "call a.3 7 0/w0 read\nanswer a.3 8 resolved fulfilled:b.1",
  ])
  func theseHistoriesOfWorkAreNot(text: String) {
    #expect(Self.findings(text).count == 1)
  }
}
