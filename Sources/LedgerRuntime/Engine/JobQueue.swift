import DequeModule
import Synchronization

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
