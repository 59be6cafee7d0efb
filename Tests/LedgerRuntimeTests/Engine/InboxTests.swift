import LedgerModelTestSupport
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The jobs that wait for the writer.
@Suite(.timeLimit(.minutes(10))) struct InboxTests {
  private let log = JobLog()

  @Test func commandsAreTakenInTheirOrder() {
    let inbox = Inbox()
    for number in 0..<10 { inbox.add(log.job(number)) }
    #expect(log.numbers(of: inbox.take(limit: 3)) == [0, 1, 2])
    #expect(log.numbers(of: inbox.take(limit: .max)) == [3, 4, 5, 6, 7, 8, 9])
    #expect(!inbox.hasCommands)
  }

  @Test func aJobThatIsPutBackComesFirst() {
    let inbox = Inbox()
    for number in 0..<200 { inbox.add(log.job(number)) }
    for _ in 0..<4 {
      let taken = inbox.take(limit: 40)
      inbox.putBack(taken[10...])
    }
    #expect(log.numbers(of: inbox.take(limit: .max)) == Array(40..<200))
  }

  @Test func aCommandIsWithdrawnUntilItIsTakenAndOnlyOnce() {
    let inbox = Inbox()
    let jobs = (0..<4).map { log.job($0) }
    for job in jobs { inbox.add(job) }
    #expect(inbox.withdraw(jobs[1]))
    #expect(!inbox.withdraw(jobs[1]))
    let taken = inbox.take(limit: 2)
    #expect(log.numbers(of: taken) == [0, 2])
    #expect(!inbox.withdraw(jobs[0]))
    inbox.putBack(taken[1...])
    #expect(inbox.withdraw(jobs[2]))
    #expect(log.numbers(of: inbox.take(limit: .max)) == [3])
  }

  @Test func aJobThatWasNeverAddedCannotBeWithdrawn() {
    let inbox = Inbox(maximumJobCount: 1)
    let jobs = (0..<2).map { log.job($0) }
    for job in jobs { inbox.add(job) }
    #expect(log.failures == [1: .tooManyCommands])
    #expect(!inbox.withdraw(jobs[1]))
    #expect(inbox.hasCommands)
  }

  @Test func aPauseRefusesCommandsUntilItEnds() {
    let inbox = Inbox()
    inbox.add(log.job(0))
    #expect(log.numbers(of: inbox.pause(.frozen)) == [0])
    inbox.add(log.job(1))
    #expect(log.failures == [1: .frozen] && !inbox.hasCommands)
    inbox.resume()
    inbox.add(log.job(2))
    #expect(log.numbers(of: inbox.take(limit: .max)) == [2])
  }

  @Test func withdrawnCommandsMakeRoom() {
    let inbox = Inbox(maximumJobCount: 1)
    for number in 0..<10 {
      let job = log.job(number)
      inbox.add(job)
      #expect(inbox.withdraw(job), "\(number)")
    }
    #expect(log.failures.isEmpty)
    #expect(!inbox.hasCommands)
  }

  @Test func withdrawnCommandsDoNotPileUp() {
    var queue = JobQueue()
    let old = log.job(0)
    queue.append(old)
    var largestPlaceCount = 0
    for number in 1...10_000 {
      let job = log.job(number)
      queue.append(job)
      let isWithdrawn = queue.withdraw(job)
      #expect(isWithdrawn, "\(number)")
      largestPlaceCount = max(largestPlaceCount, queue.placeCount)
    }
    #expect(largestPlaceCount <= 64)
    let left = queue.take(limit: .max)
    #expect(log.numbers(of: left) == [0])
  }

  @Test func theEndFailsLaterJobsAndHandsOverWaitingOnes() {
    let inbox = Inbox()
    inbox.add(log.job(0))
    #expect(log.numbers(of: inbox.end(.sessionClosed).jobs) == [0])
    inbox.add(log.job(1))
    #expect(log.failures == [1: .closed])
  }
}

/// Jobs with numbers, and their failures.
final class JobLog: Sendable {
  private struct Contents {
    var numbers: [ObjectIdentifier: Int] = [:]
    var failures: [Int: LedgerError.Code] = [:]
  }

  private let contents = Mutex(Contents())

  var failures: [Int: LedgerError.Code] { contents.withLock { $0.failures } }

  /// A job that gives up a promise that is not there.
  func job(_ number: Int, submittedAt: Duration = .zero) -> Job {
    let job = Job(
      AbandonPromise(id: .numbered(number), reason: "test"), submittedAt: submittedAt
    ) { [self] answer in
      guard case .failure(let error as LedgerError) = answer else { return }
      contents.withLock { $0.failures[number] = error.code }
    }
    contents.withLock { $0.numbers[ObjectIdentifier(job)] = number }
    return job
  }

  func numbers(of jobs: [Job]) -> [Int] {
    contents.withLock { contents in jobs.compactMap { contents.numbers[ObjectIdentifier($0)] } }
  }
}
