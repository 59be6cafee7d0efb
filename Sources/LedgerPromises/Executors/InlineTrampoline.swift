import LedgerLocks
import Synchronization

/// Runs jobs on the calling thread: at once, or after the one that this thread is running already.
///
/// So code that settles the next promise from an inline callback, a million times over, needs no stack.
enum InlineTrampoline {
  private static let shards: [Shard] = (0..<16).map { _ in Shard() }

  private final class Shard: Sendable {
    let contexts = Mutex<[ThreadIdentity: DrainContext]>([:])
  }

  static func run(_ job: consuming Job) {
    let thread = ThreadIdentity.current
    let shard = shards[Int(UInt(bitPattern: thread.hashValue) % UInt(shards.count))]
    if let context = shard.contexts.withLock({ $0[thread] }) {
      return context.pushDirect(consume job)
    }
    let context = DrainContext(queue: nil, isTrampoline: true)
    shard.contexts.withLock { $0[thread] = context }
    job.run(in: context)
    // Released here, where the context still takes the jobs that this brings.
    _ = consume job
    context.runAll()
    shard.contexts.withLock { $0[thread] = nil }
  }

  /// Lets go of something that may be the last to keep more of its kind: one after the other, so that a line
  /// of any length needs no stack.
  static func release<Content: Sendable>(_ content: consuming Content) {
    let last = LastReference(content)
    run(Job(Observer { _, _ in last.release() }, fate: .fulfilled))
  }
}

/// Keeps something until a turn in which it is released.
private final class LastReference<Content: Sendable>: Sendable {
  private let content: Mutex<Content?>

  init(_ content: consuming Content) {
    self.content = Mutex(content)
  }

  func release() {
    let released = content.withLock { $0.take() }
    _ = released
  }
}
