import LedgerPromises
import NIOCore

extension Shapes {
  /// Chains of `length` links, each built before it is settled.
  package func chain(length: Int, count: Int, rounds: Int = 25) -> Shape {
    Shape(
      name: "chain of \(length) links", units: length * count, bar: 0.7,
      rounds: rounds,
      contestants: [
        Contestant("LedgerPromises", .judged) {
          let done = Latch(count)
          for _ in 0..<count {
            let (first, resolver) = Promise.make(of: Int.self, on: executor)
            var promise = first
            for _ in 0..<length { promise = promise.map { $0 &+ 1 } }
            promise.done { _ in done.countDown() }
            resolver.fulfill(0)
          }
          done.wait()
        },
        Contestant("LedgerPromises, on its executor", .other) {
          let done = Latch(count)
          Promise.value((), on: executor).done { [executor] in
            for _ in 0..<count {
              let (first, resolver) = Promise.make(of: Int.self, on: executor)
              var promise = first
              for _ in 0..<length { promise = promise.map { $0 &+ 1 } }
              promise.done { _ in done.countDown() }
              resolver.fulfill(0)
            }
          }
          done.wait()
        },
        Contestant("LedgerPromises, inline", .other) {
          let done = Latch(count)
          for _ in 0..<count {
            let (first, resolver) = Promise.make(of: Int.self, on: .inline)
            var promise = first
            for _ in 0..<length { promise = promise.map { $0 &+ 1 } }
            promise.done { _ in done.countDown() }
            resolver.fulfill(0)
          }
          done.wait()
        },
        Contestant("NIO EventLoopFuture, from outside", .peer) {
          let done = Latch(count)
          for _ in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            var future = promise.futureResult
            for _ in 0..<length { future = future.map { $0 &+ 1 } }
            future.whenComplete { _ in done.countDown() }
            promise.succeed(0)
          }
          done.wait()
        },
        Contestant("NIO EventLoopFuture, on its loop", .inlinePeer) {
          let done = Latch(count)
          loop.execute {
            for _ in 0..<count {
              let promise = loop.makePromise(of: Int.self)
              var future = promise.futureResult
              for _ in 0..<length { future = future.map { $0 &+ 1 } }
              future.whenComplete { _ in done.countDown() }
              promise.succeed(0)
            }
          }
          done.wait()
        },
        Contestant("Task for each link", .peer) {
          let done = Latch(count)
          for _ in 0..<count {
            let box = ContinuationBox()
            var task = Task { await withCheckedContinuation { box.set($0) } }
            for _ in 0..<length {
              let previous = task
              task = Task { await previous.value &+ 1 }
            }
            let last = task
            Task {
              if await last.value >= 0 { done.countDown() }
            }
            box.resume(0)
          }
          done.wait()
        },
      ])
  }
}
