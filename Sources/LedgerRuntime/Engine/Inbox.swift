import DequeModule
import LedgerSystem
import Synchronization

/// The queue of the writer thread: commands, requests about the session's own lifecycle, and tasks to run.
package final class Inbox: Sendable {
  package enum Request: Sendable {
    case freeze(@Sendable (Result<Bool, any Error>) -> Void)
    case unfreeze(@Sendable (Result<Void, any Error>) -> Void)
    case close(@Sendable () -> Void)
    /// The session cannot continue.
    case end(LedgerError)
  }

  private struct Contents {
    var jobs = JobQueue()
    var requests: [Request] = []
    var isPoked = false
    var closingError: LedgerError?
    /// The error for commands while the session is frozen, unless they wait.
    var pausingError: LedgerError?
  }

  private let contents = Mutex(Contents())
  private let wakeUp: WakeSemaphore
  private let maximumJobCount: Int
  /// The tasks that the writer runs between commits.
  let tasks: HostedTaskExecutor

  /// - Parameter maximumJobCount: The maximum number of pending commands.
  package init(maximumJobCount: Int = .max) {
    self.maximumJobCount = maximumJobCount
    let wakeUp = WakeSemaphore()
    self.wakeUp = wakeUp
    tasks = HostedTaskExecutor(name: "ledger-tasks") { wakeUp.signal() }
  }

  /// Adds a command. It fails immediately after the end, or when too many commands are pending.
  package func add(_ job: Job) {
    let (refusal, wasEmpty) = contents.withLock { contents -> (LedgerError?, Bool) in
      if let error = contents.closingError ?? contents.pausingError { return (error, false) }
      guard contents.jobs.count < maximumJobCount else {
        return (.tooManyCommands(maximumJobCount), false)
      }
      contents.jobs.append(job)
      return (nil, contents.jobs.count == 1)
    }
    if let refusal { return job.fail(refusal) }
    if wasEmpty { wakeUp.signal() }
  }

  /// Withdraws a command that the writer has not taken yet.
  ///
  /// - Returns: Whether it was withdrawn; otherwise its answer will be delivered.
  package func withdraw(_ job: Job) -> Bool {
    contents.withLock { $0.jobs.withdraw(job) }
  }

  /// Adds a request; returns `false` after the end.
  package func add(_ request: Request) -> Bool {
    let isAdded = contents.withLock { contents in
      guard contents.closingError == nil else { return false }
      contents.requests.append(request)
      return true
    }
    wakeUp.signal()
    return isAdded
  }

  /// Makes the writer check for due deadlines without a command.
  package func poke() {
    contents.withLock { $0.isPoked = true }
    wakeUp.signal()
  }

  // MARK: The writer's side

  package enum Work {
    case request(Request)
    case commands
    case tasks
  }

  /// Waits for work; `acceptsCommands` is false while the session is frozen.
  package func waitForWork(acceptsCommands: Bool) -> Work {
    while true {
      let work = contents.withLock { contents -> Work? in
        if !contents.requests.isEmpty { return .request(contents.requests.removeFirst()) }
        guard acceptsCommands, contents.jobs.count > 0 || contents.isPoked else { return nil }
        contents.isPoked = false
        return .commands
      }
      if let work { return work }
      if tasks.isReady { return .tasks }
      _ = wakeUp.wait(timeout: .seconds(3_600))
    }
  }

  /// Whether the session has been asked to freeze or close, so it must not wait for another writer.
  package var hasRequests: Bool { contents.withLock { !$0.requests.isEmpty } }

  package var hasCommands: Bool { commandCount > 0 }

  /// The number of pending commands.
  package var commandCount: Int { contents.withLock { $0.jobs.count } }

  /// The time at which the oldest pending command was submitted.
  package var oldestSubmission: Duration? { contents.withLock { $0.jobs.first?.submittedAt } }

  /// Takes up to `limit` commands; from then on they cannot be withdrawn.
  package func take(limit: Int) -> [Job] {
    contents.withLock { $0.jobs.take(limit: limit) }
  }

  /// Takes the commands that were submitted at this moment or before.
  package func take(submittedUpTo moment: Duration) -> [Job] {
    contents.withLock { $0.jobs.take(limit: .max) { $0.submittedAt <= moment } }
  }

  /// Puts back, before all others, commands that were taken but not decided.
  package func putBack(_ jobs: some Collection<Job>) {
    contents.withLock { $0.jobs.putBack(jobs) }
    wakeUp.signal()
  }

  /// Rejects all further commands until ``resume()``, and returns the pending ones.
  package func pause(_ error: LedgerError) -> [Job] {
    contents.withLock { contents in
      contents.pausingError = error
      return contents.jobs.take(limit: .max)
    }
  }

  /// Takes commands again.
  package func resume() {
    contents.withLock { $0.pausingError = nil }
  }

  /// Rejects all further items, and returns the pending ones.
  package func end(_ error: LedgerError) -> (jobs: [Job], requests: [Request]) {
    contents.withLock { contents in
      contents.closingError = error
      defer { contents.requests = [] }
      return (contents.jobs.take(limit: .max), contents.requests)
    }
  }
}

/// The pending commands, in the order in which they were submitted.
///
/// A withdrawn command is only marked. It is removed when it is reached, or when withdrawn commands are the
/// majority. So adding, withdrawing and taking cost O(1) per command, however many are pending.
struct JobQueue {
  private var jobs = Deque<Job>()

  /// The number of pending commands that were not withdrawn.
  private(set) var count = 0

  /// The size below which a queue is not worth tidying.
  private static let smallestTidiedCount = 64

  /// The number of places in the queue, including withdrawn commands.
  var placeCount: Int { jobs.count }

  mutating func append(_ job: Job) {
    job.isWaiting.store(true, ordering: .relaxed)
    jobs.append(job)
    count += 1
  }

  /// Puts back, before all others, commands that were taken but not decided.
  mutating func putBack(_ taken: some Collection<Job>) {
    for job in taken { job.isWaiting.store(true, ordering: .relaxed) }
    count += taken.count
    jobs.prepend(contentsOf: taken)
  }

  /// Withdraws a command if it is in this queue.
  mutating func withdraw(_ job: Job) -> Bool {
    guard job.isWaiting.exchange(false, ordering: .relaxed) else { return false }
    count -= 1
    tidyUp()
    return true
  }

  /// Takes up to `limit` commands from the front, stopping at the first that `isMeant` rejects.
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

  /// The oldest pending command.
  var first: Job? { jobs.first { $0.isWaiting.load(ordering: .relaxed) } }

  /// Drops withdrawn commands, once they are the majority.
  private mutating func tidyUp() {
    guard jobs.count >= Self.smallestTidiedCount, 2 * count < jobs.count else { return }
    jobs.removeAll { !$0.isWaiting.load(ordering: .relaxed) }
  }
}

extension LedgerError {
  fileprivate static func tooManyCommands(_ limit: Int) -> LedgerError {
    LedgerError(
      .tooManyCommands,
      "\(limit) commands are waiting for the writer already. Nothing was done; await some of their answers first, unfreeze the ledger if it is frozen, or raise the limit (maximumWaitingCommandCount)."
    )
  }
}
