import Dispatch
import LedgerPromises
import NIOCore
import OpenCombine

extension Shapes {
  /// A promise that is made, settled, and calls back once.
  package func oneHop(count: Int) -> Shape {
    Shape(
      name: "create, settle, one callback", units: count, bar: 1,
      contestants: [
        Contestant("LedgerPromises", .judged) {
          let done = Latch(count)
          for number in 0..<count {
            let (promise, resolver) = Promise.make(of: Int.self, on: executor)
            promise.done { _ in done.countDown() }
            resolver.fulfill(number)
          }
          done.wait()
        },
        Contestant("NIO EventLoopFuture, from outside", .peer) {
          let done = Latch(count)
          for number in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            promise.futureResult.whenComplete { _ in done.countDown() }
            promise.succeed(number)
          }
          done.wait()
        },
        Contestant("NIO EventLoopFuture, on its loop", .inlinePeer) {
          let done = Latch(count)
          loop.execute {
            for number in 0..<count {
              let promise = loop.makePromise(of: Int.self)
              promise.futureResult.whenComplete { _ in done.countDown() }
              promise.succeed(number)
            }
          }
          done.wait()
        },
        Contestant("OpenCombine Future, receive(on:)", .peer) {
          let done = Latch(count)
          let queue = ImmediateOff(DispatchQueue(label: "combine"))
          for number in 0..<count {
            let box = FulfillBox()
            let future = Future<Int, Never> { box.fulfill = $0 }
            let subscription = future.sink { _ in queue.async { done.countDown() } }
            box.fulfill?(.success(number))
            subscription.cancel()
          }
          done.wait()
        },
        Contestant("Task and continuation", .peer) {
          let done = Latch(count)
          for number in 0..<count {
            let box = ContinuationBox()
            Task {
              let value = await withCheckedContinuation { box.set($0) }
              if value >= 0 { done.countDown() }
            }
            box.resume(number)
          }
          done.wait()
        },
      ])
  }
}
