import LedgerPromises
import NIOCore

extension Shapes {
  /// Many promises that a single one waits for.
  package func fanIn(inputs: Int) -> Shape {
    Shape(
      name: "all of \(inputs)", units: inputs, bar: 0.7,
      contestants: [
        Contestant("LedgerPromises", .judged) {
          let done = Latch(1)
          let pairs = (0..<inputs).map { _ in Promise.make(of: Int.self, on: executor) }
          Promise.all(pairs.map(\.promise), on: executor).done { _ in done.countDown() }
          for (index, pair) in pairs.enumerated() { pair.resolver.fulfill(index) }
          done.wait()
        },
        Contestant("NIO whenAllSucceed, from outside", .peer) {
          let done = Latch(1)
          let promises = (0..<inputs).map { _ in loop.makePromise(of: Int.self) }
          EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
            .whenComplete { _ in done.countDown() }
          for (index, promise) in promises.enumerated() { promise.succeed(index) }
          done.wait()
        },
        Contestant("NIO whenAllSucceed, on its loop", .inlinePeer) {
          let done = Latch(1)
          loop.execute {
            let promises = (0..<inputs).map { _ in loop.makePromise(of: Int.self) }
            EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
              .whenComplete { _ in done.countDown() }
            for (index, promise) in promises.enumerated() { promise.succeed(index) }
          }
          done.wait()
        },
        Contestant("Task group and continuations", .peer) {
          let done = Latch(1)
          let boxes = (0..<inputs).map { _ in ContinuationBox() }
          Task {
            let sum = await withTaskGroup(of: Int.self) { group in
              for box in boxes {
                group.addTask { await withCheckedContinuation { box.set($0) } }
              }
              return await group.reduce(into: [Int]()) { $0.append($1) }.count
            }
            if sum == inputs { done.countDown() }
          }
          for (index, box) in boxes.enumerated() { box.resume(index) }
          done.wait()
        },
      ])
  }
}
