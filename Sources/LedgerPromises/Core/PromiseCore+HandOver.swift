import Synchronization

/// Handing the observers of a settled promise to their executors.
///
/// An observer that only passes the outcome on needs none: it goes to the thread's own context.
extension PromiseCore {
  /// Hands observers over, in order. Unless `isLate`, this thread is the one delivering and goes on
  /// until no observer came meanwhile.
  func handOver(
    _ observers: consuming PromiseStateMachine.Observers,
    of fate: Fate,
    in context: DrainContext?,
    isLate: Bool
  ) {
    var own = context
    while true {
      if let first = observers.first.take() {
        handOver(Job(consume first, fate: fate), from: context, &own)
      }
      for observer in observers.others {
        handOver(Job(observer, fate: fate), from: context, &own)
      }
      if isLate { break }
      observers = machine.withLock { $0.finishDelivery() }
      if observers.isEmpty { break }
    }
    if context == nil { own?.runAll() }
  }

  /// - Parameter own: takes what needs no executor; made when needed by a thread that runs no context.
  private func handOver(
    _ job: consuming Job, from context: DrainContext?, _ own: inout DrainContext?
  ) {
    guard !job.needsExecutor else { return enqueue(job, from: context) }
    let taker = own ?? DrainContext(queue: nil)
    taker.pushDirect(job)
    own = taker
  }

  /// Hands over an observer that has no others behind it.
  func handOverOnly(_ job: consuming Job, in context: DrainContext?) {
    if job.needsExecutor {
      enqueue(job, from: context)
    } else if let context {
      context.pushDirect(job)
    } else {
      // Straight away, because nothing waits in a new context.
      let own = DrainContext(queue: nil)
      job.run(in: own)
      own.runAll()
    }
  }

  private func enqueue(_ job: consuming Job, from context: DrainContext?) {
    // Not with `??`, which would count a reference to the executor of the promise.
    if let target = job.observer.executor {
      target.enqueue(job, from: context)
    } else {
      executor.target.enqueue(job, from: context)
    }
  }
}
