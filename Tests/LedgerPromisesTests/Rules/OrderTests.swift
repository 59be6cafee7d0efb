import Dispatch
import LedgerPromises
import Testing

/// Hard rules 1, 3 and 4: order, never inline, attaching after the outcome.
@Suite(.timeLimit(.minutes(10))) struct OrderTests {
  @Test func callbacksKeepTheirOrderWhileAnotherThreadSettles() async {
    let executor = PromiseExecutor.serial(label: "order")
    let rounds = 3_000
    let seen = Recorder<[Int]>()
    for round in 0..<rounds {
      let (promise, resolver) = Promise.make(of: Int.self, on: executor)
      let order = Recorder<Int>()
      DispatchQueue.global().async {
        // A different moment each round, without sleeping.
        for _ in 0..<(round % 50) * 20 { _ = promise.isPending }
        resolver.fulfill(round)
      }
      for number in 0..<16 { promise.done { _ in order.record(number) } }
      seen.record(await order.events(atLeast: 16))
    }
    let wrong = seen.events.filter { $0 != Array(0..<16) }
    #expect(
      wrong.isEmpty, "\(wrong.count) of \(rounds) rounds out of order, such as \(wrong.first ?? [])"
    )
  }

  @Test func callbacksKeepTheirOrderOverExecutorsOfEveryKind() async {
    let serial = PromiseExecutor.serial(label: "order")
    let dispatch = PromiseExecutor.dispatch(DispatchQueue(label: "order"))
    for round in 0..<500 {
      let (promise, resolver) = Promise.make(of: Int.self, on: serial)
      let onSerial = Recorder<Int>()
      let onDispatch = Recorder<Int>()
      DispatchQueue.global().async {
        for _ in 0..<(round % 50) * 10 { _ = promise.isPending }
        resolver.fulfill(round)
      }
      for number in 0..<8 {
        promise.done { _ in onSerial.record(number) }
        promise.done(on: dispatch) { _ in onDispatch.record(number) }
        promise.done(on: .inline) { _ in }
      }
      let serialOrder = await onSerial.events(atLeast: 8)
      let dispatchOrder = await onDispatch.events(atLeast: 8)
      #expect(serialOrder == Array(0..<8), "round \(round)")
      #expect(dispatchOrder == Array(0..<8), "round \(round)")
    }
  }

  @Test func callbacksKeepTheirOrderWhileAChainSettles() async {
    let executor = PromiseExecutor.serial(label: "order")
    for round in 0..<1_000 {
      let (first, resolver) = Promise.make(of: Int.self, on: executor)
      let promise = first.map { $0 }.map { $0 }
      let order = Recorder<Int>()
      DispatchQueue.global().async {
        for _ in 0..<(round % 50) * 10 { _ = promise.isPending }
        resolver.fulfill(round)
      }
      // The first runs next in the chain, and the promises that it settles do not overtake any
      // others.
      for number in 0..<16 { promise.map { _ in order.record(number) }.done {} }
      #expect(await order.events(atLeast: 16) == Array(0..<16), "round \(round)")
    }
  }

  @Test func aLongChainLetsOthersRunInBetween() async {
    let executor = PromiseExecutor.serial(label: "fair")
    let seen = Recorder<Int>()
    let length = 1_000
    let last = Promise.value((), on: executor).then { () -> Promise<Int> in
      // Both begin in the same drain: the chain, and behind it one other.
      let (first, resolver) = Promise.make(of: Int.self, on: executor)
      var promise = first
      for _ in 0..<length {
        promise = promise.map { number in
          seen.record(number)
          return number + 1
        }
      }
      resolver.fulfill(0)
      Promise.value((), on: executor).done { seen.record(-1) }
      return promise
    }
    _ = try? await last.settlement()
    let place = seen.events.firstIndex(of: -1) ?? length
    #expect(place <= 65, "the other one waited for \(place) links")
    #expect(seen.events.filter { $0 >= 0 } == Array(0..<length))
  }

  @Test func aChainOnABusyQueueDoesNotKeepOthersWaiting() async {
    let executor = PromiseExecutor.serial(label: "fair")
    let seen = Recorder<String>()
    let stop = CancellationToken()
    let turn = Turn(executor: executor, stop: stop)
    turn.go()
    Promise.value((), on: executor).done { seen.record("other") }
    #expect(await seen.events(atLeast: 1) == ["other"])
    stop.cancel()
  }

  @Test func attachingAfterTheOutcomeDelivers() async throws {
    let promise = Promise.value(3)
    #expect(try await promise.value == 3)
    let seen = Recorder<Int>()
    promise.done { seen.record($0) }
    #expect(await seen.events(atLeast: 1) == [3])
  }

  @Test func inlineRunsBeforeFulfilReturns() {
    let seen = Recorder<Int>()
    let (promise, resolver) = Promise.make(of: Int.self, on: .inline)
    promise.done { seen.record($0) }
    resolver.fulfill(1)
    #expect(seen.events == [1])
    promise.done { seen.record($0 + 1) }
    #expect(seen.events == [1, 2])
  }

  @Test func anInlineCallbackThatAttachesInsideAnotherRunsRightAfterIt() {
    let seen = Recorder<Int>()
    let promise = Promise.value(1, on: .inline)
    promise.done { _ in
      promise.done { _ in seen.record(2) }
      seen.record(1)
    }
    #expect(seen.events == [1, 2])
  }

  @Test func anInlineCallbackBehindACallbackOfAQueueKeepsThatOrder() async throws {
    let seen = Recorder<Int>()
    let settled = Promise.value(1, on: .inline)
    let (first, resolver) = Promise.make(of: Int.self, on: .serial(label: "order"))
    let last = first.map { $0 }.done(on: .inline) { _ in
      settled.done { _ in seen.record(2) }
      seen.record(1)
    }
    resolver.fulfill(1)
    try await last.value
    #expect(await seen.events(atLeast: 2) == [1, 2])
  }
}

/// A chain that never ends until it is told to: each callback settles the next.
private final class Turn: Sendable {
  private let executor: PromiseExecutor
  private let stop: CancellationToken

  init(executor: PromiseExecutor, stop: CancellationToken) {
    self.executor = executor
    self.stop = stop
  }

  func go() {
    _ = Promise.value((), on: executor).then { [self] in
      if !stop.isCancelled { go() }
      return .value(())
    }
  }
}
