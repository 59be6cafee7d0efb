import Synchronization

/// Makes promises from a sequence of factories, a limited number at a time, and collects the values.
///
/// One thread at a time pulls from the sequence, always in a job of the executor; promises that are
/// settled already are counted in a loop, so that a million of them need no stack.
final class LimitedRun<Value: Sendable>: Sendable {
  typealias Factory = @Sendable () throws -> Promise<Value>

  private struct State {
    var values: [Value?] = []
    var running: [Int: PromiseStorage<Value>] = [:]
    var isPulling = false
    var isExhausted = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let source: FactorySource<Value>
  private let limit: Int
  private let target: PromiseStorage<[Value]>

  init(_ source: FactorySource<Value>, limit: Int, into target: PromiseStorage<[Value]>) {
    self.source = source
    self.limit = limit
    self.target = target
  }

  func start() {
    target.onCancel(onlyIfRequested: true) { [weak self] reason in self?.cancel(reason) }
    pullLater(in: nil)
  }

  // MARK: - Pulling

  private func pullLater(in context: DrainContext?) {
    let observer = Observer { [self] fate, context in
      guard !fate.isAbandoned else { return fail(abandonedBy: context) }
      pull(in: context)
    }
    target.executor.target.enqueue(Job(observer, fate: .fulfilled), from: context)
  }

  private func fail(abandonedBy context: DrainContext) {
    end { target.abandon(in: context) }
  }

  private func pull(in context: DrainContext) {
    guard beginPulling() else { return }
    repeat {
      guard let index = reserve() else { break }
      do {
        guard let factory = source.next() else {
          exhaust(index)
          break
        }
        start(try factory().storage, at: index, in: context)
      } catch {
        end { target.settle(thrown: error, in: context) }
      }
    } while true
    finishIfComplete(in: context)
  }

  private func beginPulling() -> Bool {
    state.withLock { state in
      guard !state.isPulling, !state.isOver else { return false }
      state.isPulling = true
      return true
    }
  }

  /// A place for one more promise, or `nil` if pulling ends for now.
  private func reserve() -> Int? {
    state.withLock { state in
      guard !state.isOver, !state.isExhausted, state.running.count < limit else {
        state.isPulling = false
        return nil
      }
      state.values.append(nil)
      return state.values.count - 1
    }
  }

  private func exhaust(_ index: Int) {
    state.withLock { state in
      // A run that ended while the sequence was asked has no places any more.
      if !state.isOver { state.values.removeLast(state.values.count - index) }
      state.isExhausted = true
      state.isPulling = false
    }
  }

  private func start(_ promise: PromiseStorage<Value>, at index: Int, in context: DrainContext) {
    if promise.isSettled { return take(promise, at: index, in: context) }
    let isOver = state.withLock { state in
      if !state.isOver { state.running[index] = promise }
      return state.isOver
    }
    promise.observe(triggers: .detachable, in: context) { [self] fate, context in
      promiseDidSettle(promise, at: index, fate, context)
    }
    // It was made too late for a request that ended the run.
    if isOver { target.onCancel(onlyIfRequested: true) { promise.cancel($0) } }
  }

  /// Takes what has its outcome already, without a turn of its own: so pulling goes on, or ends, at once.
  private func take(_ promise: PromiseStorage<Value>, at index: Int, in context: DrainContext) {
    if let value = promise.value {
      state.withLock { state in
        if !state.isOver { state.values[index] = value }
      }
    } else if let failure = promise.failure {
      promise.markHandled()
      end { target.settle(failure, in: context) }
    }
  }

  // MARK: - Settling

  private func promiseDidSettle(
    _ promise: PromiseStorage<Value>, at index: Int, _ fate: Fate, _ context: DrainContext
  ) {
    if case .asked(let question) = fate { return target.answer(question, as: .collecting) }
    guard fate.isFulfilled, let value = promise.value else {
      return end { target.settleFailure(fate, in: context) }
    }
    let mustPull = state.withLock { state in
      guard !state.isOver else { return false }
      state.running[index] = nil
      state.values[index] = value
      return !state.isExhausted && !state.isPulling
    }
    if mustPull {
      pullLater(in: context)
    } else {
      finishIfComplete(in: context)
    }
    // It may wait for others, or for inputs that were not made yet.
    target.endClaims(from: promise, in: context)
  }

  private func finishIfComplete(in context: DrainContext) {
    let values = state.withLock { state -> [Value?]? in
      guard state.isExhausted, !state.isPulling, state.running.isEmpty, !state.isOver else {
        return nil
      }
      state.isOver = true
      let values = state.values
      state.values = []
      return values
    }
    guard let values else { return }
    target.fulfill(values.compactMap(\.self), in: context)
  }

  /// Settles the result before its time. The promises that are running go on without it.
  private func end(_ settle: () -> Void) {
    let running = stop()
    settle()
    for promise in running where !promise.isSettled { promise.detachObserver() }
  }

  /// Stops pulling and lets go of what was collected; returns the promises that are running.
  private func stop() -> [PromiseStorage<Value>] {
    let state = self.state.withLock { state in
      let ended = state
      state = State(isPulling: ended.isPulling, isOver: true)
      return ended
    }
    return state.running.sorted { $0.key < $1.key }.map(\.value)
  }

  private func cancel(_ reason: CancellationReason) {
    for promise in stop() { promise.cancel(reason) }
  }
}

/// A sequence of factories, of any type, to be pulled one by one.
final class FactorySource<Value: Sendable>: @unchecked Sendable {
  // @unchecked because only one thread at a time calls `next`: the one that is pulling.
  private var pull: (() -> LimitedRun<Value>.Factory?)?

  init<Factories: Sequence>(_ factories: sending Factories)
  where Factories.Element == LimitedRun<Value>.Factory {
    var iterator = factories.makeIterator()
    self.pull = { iterator.next() }
  }

  /// The next factory; after the last one, the sequence is released and never asked again.
  func next() -> LimitedRun<Value>.Factory? {
    guard let factory = pull?() else {
      pull = nil
      return nil
    }
    return factory
  }
}
