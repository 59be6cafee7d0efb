import Dispatch
import LedgerPromises
import NIOCore
import NIOPosix
import OpenCombine

/// The shapes of work, each written for every library that has it.
struct Shapes {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let executor = PromiseExecutor.serial(label: "benchmark")

  var all: [Shape] {
    [oneHop(count: 20_000)]
      + [1, 3, 10].map { chain(length: $0, count: 100_000 / $0) }
      + [chain(length: 1_000_000, count: 1)]
      + [fanIn(inputs: 10_000), contention(threads: 8, count: 5_000)]
  }

  var loop: any EventLoop { group.next() }

  // MARK: - Create, settle, one callback

  private func oneHop(count: Int) -> Shape {
    Shape(
      name: "create, settle, one callback", units: count,
      contestants: [
        (
          "LedgerPromises",
          {
            let done = Latch(count)
            for number in 0..<count {
              let (promise, resolver) = Promise.make(of: Int.self, on: executor)
              promise.done { _ in done.countDown() }
              resolver.fulfill(number)
            }
            done.wait()
          }
        ),
        (
          "NIO EventLoopFuture, from outside",
          {
            let done = Latch(count)
            for number in 0..<count {
              let promise = loop.makePromise(of: Int.self)
              promise.futureResult.whenComplete { _ in done.countDown() }
              promise.succeed(number)
            }
            done.wait()
          }
        ),
        (
          "NIO EventLoopFuture, on its loop *",
          {
            let done = Latch(count)
            loop.execute {
              for number in 0..<count {
                let promise = loop.makePromise(of: Int.self)
                promise.futureResult.whenComplete { _ in done.countDown() }
                promise.succeed(number)
              }
            }
            done.wait()
          }
        ),
        (
          "OpenCombine Future, receive(on:)",
          {
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
          }
        ),
        (
          "Task and continuation",
          {
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
          }
        ),
      ])
  }

  // MARK: - Chains

  private func chain(length: Int, count: Int) -> Shape {
    Shape(
      name: "chain of \(length) links", units: length * count,
      contestants: [
        (
          "LedgerPromises",
          {
            let done = Latch(count)
            for _ in 0..<count {
              let (first, resolver) = Promise.make(of: Int.self, on: executor)
              var promise = first
              for _ in 0..<length { promise = promise.map { $0 &+ 1 } }
              promise.done { _ in done.countDown() }
              resolver.fulfill(0)
            }
            done.wait()
          }
        ),
        (
          "LedgerPromises, on its executor",
          {
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
          }
        ),
        (
          "LedgerPromises, inline",
          {
            let done = Latch(count)
            for _ in 0..<count {
              let (first, resolver) = Promise.make(of: Int.self, on: .inline)
              var promise = first
              for _ in 0..<length { promise = promise.map { $0 &+ 1 } }
              promise.done { _ in done.countDown() }
              resolver.fulfill(0)
            }
            done.wait()
          }
        ),
        (
          "NIO EventLoopFuture, from outside",
          {
            let done = Latch(count)
            for _ in 0..<count {
              let promise = loop.makePromise(of: Int.self)
              var future = promise.futureResult
              for _ in 0..<length { future = future.map { $0 &+ 1 } }
              future.whenComplete { _ in done.countDown() }
              promise.succeed(0)
            }
            done.wait()
          }
        ),
        (
          "NIO EventLoopFuture, on its loop *",
          {
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
          }
        ),
        (
          "Task for each link",
          {
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
          }
        ),
      ])
  }

  // MARK: - Fan-in

  private func fanIn(inputs: Int) -> Shape {
    Shape(
      name: "all of \(inputs)", units: inputs,
      contestants: [
        (
          "LedgerPromises",
          {
            let done = Latch(1)
            let pairs = (0..<inputs).map { _ in Promise.make(of: Int.self, on: executor) }
            Promise.all(pairs.map(\.promise), on: executor).done { _ in done.countDown() }
            for (index, pair) in pairs.enumerated() { pair.resolver.fulfill(index) }
            done.wait()
          }
        ),
        (
          "NIO whenAllSucceed, from outside",
          {
            let done = Latch(1)
            let promises = (0..<inputs).map { _ in loop.makePromise(of: Int.self) }
            EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
              .whenComplete { _ in done.countDown() }
            for (index, promise) in promises.enumerated() { promise.succeed(index) }
            done.wait()
          }
        ),
        (
          "NIO whenAllSucceed, on its loop *",
          {
            let done = Latch(1)
            loop.execute {
              let promises = (0..<inputs).map { _ in loop.makePromise(of: Int.self) }
              EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
                .whenComplete { _ in done.countDown() }
              for (index, promise) in promises.enumerated() { promise.succeed(index) }
            }
            done.wait()
          }
        ),
        (
          "Task group and continuations",
          {
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
          }
        ),
      ])
  }

  // MARK: - Threads

  private func contention(threads: Int, count: Int) -> Shape {
    Shape(
      name: "\(threads) threads settling and attaching", units: threads * count,
      contestants: [
        (
          "LedgerPromises",
          {
            let done = Latch(threads * count)
            onThreads(threads) { _ in
              for number in 0..<count {
                let (promise, resolver) = Promise.make(of: Int.self, on: executor)
                promise.done { _ in done.countDown() }
                resolver.fulfill(number)
              }
            }
            done.wait()
          }
        ),
        (
          "NIO EventLoopFuture, from outside",
          {
            let done = Latch(threads * count)
            onThreads(threads) { _ in
              for number in 0..<count {
                let promise = loop.makePromise(of: Int.self)
                promise.futureResult.whenComplete { _ in done.countDown() }
                promise.succeed(number)
              }
            }
            done.wait()
          }
        ),
        (
          "Task and continuation",
          {
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
          }
        ),
      ])
  }
}
