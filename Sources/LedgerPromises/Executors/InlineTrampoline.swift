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

  static func run(_ job: Job) {
    let thread = ThreadIdentity.current
    let shard = shards[Int(UInt(bitPattern: thread.hashValue) % UInt(shards.count))]
    if let context = shard.contexts.withLock({ $0[thread] }) {
      return context.pushDirect(job)
    }
    let context = DrainContext(queue: nil)
    shard.contexts.withLock { $0[thread] = context }
    job.run(in: context)
    context.runAll()
    shard.contexts.withLock { $0[thread] = nil }
  }
}
