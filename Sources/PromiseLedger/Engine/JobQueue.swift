import Synchronization

/// The commands that wait, in the order in which they came.
///
/// One that is taken back is only marked; it goes when it is met, or when such ones are the larger
/// part. So adding, withdrawing and taking cost O(1) a command, however many wait.
struct JobQueue {
  /// What was taken leaves its place, before `front`, empty until the queue is tidied.
  private var jobs: [Job?] = []
  private var front = 0

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
    let places = max(0, front - taken.count)..<front
    jobs.replaceSubrange(places, with: taken.map(Optional.some))
    front = places.lowerBound
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
    while front < jobs.count, taken.count < limit {
      if let job = jobs[front], job.isWaiting.load(ordering: .relaxed) {
        guard isMeant(job) else { break }
        job.isWaiting.store(false, ordering: .relaxed)
        taken.append(job)
      }
      jobs[front] = nil
      front += 1
    }
    count -= taken.count
    tidyUp()
    return taken
  }

  /// The command that waits longest.
  var first: Job? {
    for case let job? in jobs[front...] where job.isWaiting.load(ordering: .relaxed) { return job }
    return nil
  }

  /// Drops empty places and commands taken back, once they are the larger part.
  private mutating func tidyUp() {
    guard jobs.count >= Self.smallestTidiedCount, 2 * count < jobs.count else { return }
    jobs = jobs[front...].filter { $0?.isWaiting.load(ordering: .relaxed) == true }
    front = 0
  }
}
