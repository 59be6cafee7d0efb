import LedgerPromises
import NIOCore
import NIOPosix

/// The shapes of work, each written for every library that supports it.
package struct Shapes {
  let executor = PromiseExecutor.serial(label: "benchmark")
  let loop: any EventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()

  package init() {}

  package var all: [Shape] {
    [oneHop(count: 20_000)]
      + [1, 3, 10].map { chain(length: $0, count: 60_000 / $0) }
      + [chain(length: 1_000_000, count: 1, rounds: 9)]
      + [fanIn(inputs: 10_000), contention(threads: 8, count: 5_000)]
  }
}
