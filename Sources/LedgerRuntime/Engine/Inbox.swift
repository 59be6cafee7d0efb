import DequeModule
import LedgerSystem
import Synchronization

/// What waits for the writer thread: commands, and requests about the session's own life.
package final class Inbox: Sendable {
  package enum Request: Sendable {
    case freeze(@Sendable (Result<Bool, any Error>) -> Void)
    case unfreeze(@Sendable (Result<Void, any Error>) -> Void)
    case close(@Sendable () -> Void)
    /// The session cannot go on.
    case end(LedgerError)
  }

  private struct Contents {
    var jobs = JobQueue()
    var requests: [Request] = []
    var isPoked = false
    var closingError: LedgerError?
  }

  private let contents = Mutex(Contents())
  private let wakeUp = WakeSemaphore()
  private let maximumJobCount: Int

  /// - Parameter maximumJobCount: How many commands may wait.
  package init(maximumJobCount: Int = .max) {
    self.maximumJobCount = maximumJobCount
  }

  /// Adds a command; after the end, and when too many wait, it fails at once.
  package func add(_ job: Job) {
    let (refusal, wasEmpty) = contents.withLock { contents -> (LedgerError?, Bool) in
      if let error = contents.closingError { return (error, false) }
      guard contents.jobs.count < maximumJobCount else {
        return (.tooManyCommands(maximumJobCount), false)
      }
      contents.jobs.append(job)
      return (nil, contents.jobs.count == 1)
    }
    if let refusal { return job.fail(refusal) }
    if wasEmpty { wakeUp.signal() }
  }

  /// Takes a command back that the writer has not taken yet.
  ///
  /// - Returns: Whether it was taken back; otherwise its answer comes.
  package func withdraw(_ job: Job) -> Bool {
    contents.withLock { $0.jobs.withdraw(job) }
  }

  /// Adds a request; false after the end.
  package func add(_ request: Request) -> Bool {
    let isAdded = contents.withLock { contents in
      guard contents.closingError == nil else { return false }
      contents.requests.append(request)
      return true
    }
    wakeUp.signal()
    return isAdded
  }

  /// Makes the writer look for what is due without a command.
  package func poke() {
    contents.withLock { $0.isPoked = true }
    wakeUp.signal()
  }

  // MARK: The writer's side

  package enum Work {
    case request(Request)
    case commands
    case none
  }

  /// Waits for work; `acceptsCommands` is false while the session is frozen.
  package func waitForWork(acceptsCommands: Bool) -> Work {
    while true {
      let work = contents.withLock { contents -> Work in
        if !contents.requests.isEmpty { return .request(contents.requests.removeFirst()) }
        guard acceptsCommands, contents.jobs.count > 0 || contents.isPoked else { return .none }
        contents.isPoked = false
        return .commands
      }
      if case .none = work {
        _ = wakeUp.wait(timeout: .seconds(3_600))
      } else {
        return work
      }
    }
  }

  /// Whether the session is asked to freeze or close: no wait for another writer then.
  package var hasRequests: Bool { contents.withLock { !$0.requests.isEmpty } }

  package var hasCommands: Bool { commandCount > 0 }

  /// How many commands wait.
  package var commandCount: Int { contents.withLock { $0.jobs.count } }

  /// When the command that waits longest came.
  package var oldestSubmission: Duration? { contents.withLock { $0.jobs.first?.submittedAt } }

  /// Takes up to `limit` commands; from then on they cannot be withdrawn.
  package func take(limit: Int) -> [Job] {
    contents.withLock { $0.jobs.take(limit: limit) }
  }

  /// Takes the commands that came at this moment or before.
  package func take(submittedUpTo moment: Duration) -> [Job] {
    contents.withLock { $0.jobs.take(limit: .max) { $0.submittedAt <= moment } }
  }

  /// Puts commands back that were taken and not decided, before all others.
  package func putBack(_ jobs: some Collection<Job>) {
    contents.withLock { $0.jobs.putBack(jobs) }
    wakeUp.signal()
  }

  /// Refuses everything from now on, and hands over what waits.
  package func end(_ error: LedgerError) -> (jobs: [Job], requests: [Request]) {
    contents.withLock { contents in
      contents.closingError = error
      defer { contents.requests = [] }
      return (contents.jobs.take(limit: .max), contents.requests)
    }
  }
}

/// The commands that wait, in the order in which they came.
///
/// One that is taken back is only marked; it goes when it is met, or when such ones are the larger
/// part. So adding, withdrawing and taking cost O(1) a command, however many wait.
struct JobQueue {
  private var jobs = Deque<Job>()

  /// How many wait and were not taken back.
  private(set) var count = 0

  /// Below this a queue is not worth tidying.
  private static let smallestTidiedCount = 64

  /// How many places the queue keeps.
  var placeCount: Int { jobs.count }

  mutating func append(_ job: Job) {
    job.isWaiting.store(true, ordering: .relaxed)
    jobs.append(job)
    count += 1
  }

  /// Puts commands back that were taken and not decided, before all others.
  mutating func putBack(_ taken: some Collection<Job>) {
    for job in taken { job.isWaiting.store(true, ordering: .relaxed) }
    count += taken.count
    jobs.prepend(contentsOf: taken)
  }

  /// Takes a command back if it waits here.
  mutating func withdraw(_ job: Job) -> Bool {
    guard job.isWaiting.exchange(false, ordering: .relaxed) else { return false }
    count -= 1
    tidyUp()
    return true
  }

  /// Takes up to `limit` commands from the front, and none from the first that `isMeant` refuses.
  mutating func take(limit: Int, where isMeant: (Job) -> Bool = { _ in true }) -> [Job] {
    var taken: [Job] = []
    while taken.count < limit, let job = jobs.first {
      if job.isWaiting.load(ordering: .relaxed) {
        guard isMeant(job) else { break }
        job.isWaiting.store(false, ordering: .relaxed)
        taken.append(job)
      }
      jobs.removeFirst()
    }
    count -= taken.count
    tidyUp()
    return taken
  }

  /// The command that waits longest.
  var first: Job? { jobs.first { $0.isWaiting.load(ordering: .relaxed) } }

  /// Drops commands taken back, once they are the larger part.
  private mutating func tidyUp() {
    guard jobs.count >= Self.smallestTidiedCount, 2 * count < jobs.count else { return }
    jobs.removeAll { !$0.isWaiting.load(ordering: .relaxed) }
  }
}

extension LedgerError {
  fileprivate static func tooManyCommands(_ limit: Int) -> LedgerError {
    LedgerError(
      .tooManyCommands,
      "\(limit) commands wait to be written already. Nothing was done; await some of their answers first, unfreeze the ledger if it is frozen, or raise the limit."
    )
  }
}
