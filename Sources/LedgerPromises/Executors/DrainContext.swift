/// The jobs that one thread runs one after the other, so that a chain of any length needs no stack.
@usableFromInline
final class DrainContext: @unchecked Sendable {
  // @unchecked because only the thread that made it touches it, until it is empty again.

  /// The serial queue whose jobs this thread runs now, if any; to be compared only.
  let queueID: ObjectIdentifier?
  /// Whether it is the one context of its thread that takes inline callbacks.
  let isTrampoline: Bool
  private var direct = JobFIFO()
  /// Whether there may be something in `direct`. This flag is cheaper to read, because the compiler
  /// can prove that its accesses do not overlap, and leaves out the check when they happen.
  private var mayHaveDirect = false
  /// The next link of the chain that is running: its promises are in the processor's cache.
  private var next: Job?
  private var runLength = 0
  private var jobs = JobFIFO()

  /// How many callbacks of one chain run in a row while others wait.
  private static let longestRun = 64

  init(queue: SerialQueue?, isTrampoline: Bool = false) {
    queueID = queue.map { ObjectIdentifier($0) }
    self.isTrampoline = isTrampoline
  }

  /// Adds a job that runs no code of the user, or one for the trampoline: it goes first.
  func pushDirect(_ job: consuming Job) {
    direct.append(job)
    mayHaveDirect = true
  }

  /// Adds a callback for the serial queue that this thread drains.
  func push(_ job: consuming Job) {
    // Behind the others at the latest when a run is over, so that a chain without end does not keep
    // them waiting for ever. Callbacks of one promise stay in order: they are all pushed before the
    // next job is popped, and only the first of them can get in front.
    if next == nil, runLength < Self.longestRun {
      next = job
    } else {
      jobs.append(job)
    }
  }

  /// Adds a batch of callbacks and leaves an empty array behind.
  func push(_ batch: inout [Job]) {
    jobs.append(&batch)
  }

  /// Runs everything, including what comes meanwhile.
  func runAll() {
    while let job = popFirst() { job.run(in: self) }
  }

  /// Runs up to `limit` jobs; `false` if none is left.
  func run(limit: Int) -> Bool {
    for _ in 0..<limit {
      guard let job = popFirst() else { return false }
      job.run(in: self)
    }
    return true
  }

  private func popFirst() -> Job? {
    if mayHaveDirect {
      if let job = direct.popFirst() { return job }
      mayHaveDirect = false
    }
    if let job = next.take() {
      runLength += 1
      return job
    }
    runLength = 0
    return jobs.popFirst()
  }
}

/// A queue of jobs that lets go of each as it is taken; constant time on average.
struct JobFIFO: Sendable {
  private var incoming: [Job] = []
  private var outgoing: [Job] = []

  mutating func append(_ job: consuming Job) {
    incoming.append(job)
  }

  /// Takes over a batch, without copying it if nothing else came.
  mutating func append(_ batch: inout [Job]) {
    if incoming.isEmpty {
      swap(&incoming, &batch)
    } else {
      incoming.append(contentsOf: batch)
      batch.removeAll(keepingCapacity: true)
    }
  }

  mutating func popFirst() -> Job? {
    if outgoing.isEmpty {
      guard !incoming.isEmpty else { return nil }
      swap(&incoming, &outgoing)
      if outgoing.count > 1 { outgoing.reverse() }
    }
    return outgoing.popLast()
  }
}
