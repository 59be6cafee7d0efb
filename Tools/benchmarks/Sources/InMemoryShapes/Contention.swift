import LedgerPromises
import NIOCore

extension Shapes {
  /// Many threads, each with promises of its own, and all on one executor.
  package func contention(threads: Int, count: Int) -> Shape {
    Shape(
      name: "\(threads) threads settling and attaching", units: threads * count,
      contestants: [
        Contestant("LedgerPromises", .judged) {
          let done = Latch(threads * count)
          onThreads(threads) { _ in
            for number in 0..<count {
              let (promise, resolver) = Promise.make(of: Int.self, on: executor)
              promise.done { _ in done.countDown() }
              resolver.fulfill(number)
            }
          }
          done.wait()
        },
        Contestant("NIO EventLoopFuture, from outside", .peer) {
          let done = Latch(threads * count)
          onThreads(threads) { _ in
            for number in 0..<count {
              let promise = loop.makePromise(of: Int.self)
              promise.futureResult.whenComplete { _ in done.countDown() }
              promise.succeed(number)
            }
          }
          done.wait()
        },
        Contestant("Task and continuation", .peer) {
          let done = Latch(threads * count)
          onThreads(threads) { _ in
            for number in 0..<count {
              let box = ContinuationBox()
              Task {
                if await withCheckedContinuation({ box.set($0) }) >= 0 { done.countDown() }
              }
              box.resume(number)
            }
          }
          done.wait()
        },
      ])
  }
}
