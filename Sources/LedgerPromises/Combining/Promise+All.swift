import Synchronization

extension Promise {
  /// Waits for all promises and collects their values in input order.
  ///
  /// No promises give an empty array at once. The first rejection or cancellation settles the result;
  /// the others go on, and their failures count as handled. Cancelling the result cancels the inputs
  /// that are pending.
  ///
  /// - Complexity: O(n) in time.
  @inlinable
  public static func all<Inputs: Sequence, Element: Sendable>(
    _ promises: Inputs,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<[Element]> where Inputs.Element == Promise<Element>, Value == [Element] {
    let inputs = promises.map { $0.storage }
    return all(inputs, on: executor, SourceSite(file, line))
  }

  @usableFromInline
  static func all<Element: Sendable>(
    _ inputs: [PromiseStorage<Element>], on executor: PromiseExecutor, _ site: SourceSite
  ) -> Promise<[Element]> where Value == [Element] {
    let target = PromiseStorage<[Element]>(executor: executor, site: site)
    let collector = AllCollector(inputs, into: target)
    gather(inputs, into: target) { _, input in
      { fate, context in collector.inputDidSettle(input, fate, context) }
    }
    return Promise<[Element]>(target)
  }

  /// Waits for promises of different types and collects their values in a tuple.
  ///
  /// ```swift
  /// Promise.all(user, avatar).done { user, avatar in show(user, avatar) }
  /// ```
  /// It settles and cancels like `all`.
  public static func all<each Element: Sendable>(
    _ promises: repeat Promise<each Element>,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<(repeat each Element)> where Value == (repeat each Element) {
    let site = SourceSite(file, line)
    let target = PromiseStorage<(repeat each Element)>(executor: executor, site: site)
    var inputs: [PromiseCore] = []
    for promise in repeat each promises { inputs.append(promise.storage) }
    let collector = TupleCollector(
      repeat (each promises).storage, count: inputs.count, into: target)
    gather(inputs, into: target) { _, input in
      { fate, context in collector.inputDidSettle(input, fate, context) }
    }
    return Promise<(repeat each Element)>(target)
  }
}

/// Observes each input of a combination with what `observer` returns for its index and itself, and
/// cancels the pending ones when the result is cancelled. Once the result is known, the pending ones are
/// observed no longer: they may stay pending for long.
func gather<Input: PromiseCore>(
  _ inputs: [Input], into target: PromiseCore, _ observer: (Int, Input) -> Observer.Body
) {
  let context = DrainContext(queue: nil)
  for (index, input) in inputs.enumerated() {
    input.observe(triggers: .detachable, in: context, observer(index, input))
  }
  context.runAll()
  if !target.isSettled {
    target.onCancel(onlyIfRequested: true) { reason in
      for input in inputs { input.cancel(reason) }
    }
  }
  target.observe(triggers: [], quietly: true) { _, _ in
    for input in inputs where !input.isSettled { input.detachObserver() }
  }
}

/// Collects the values of inputs of one type. It keeps the inputs only until the result is known.
private final class AllCollector<Element: Sendable>: Sendable {
  private let inputs: Mutex<[PromiseStorage<Element>]>
  private let remaining: Countdown
  private let target: PromiseStorage<[Element]>

  init(_ inputs: [PromiseStorage<Element>], into target: PromiseStorage<[Element]>) {
    self.inputs = Mutex(inputs)
    self.remaining = Countdown(inputs.count)
    self.target = target
    if inputs.isEmpty { target.fulfill([], in: nil) }
  }

  func inputDidSettle(_ input: PromiseCore, _ fate: Fate, _ context: DrainContext) {
    guard fate.isFulfilled else {
      if case .asked(let question) = fate { return target.answer(question, as: .collecting) }
      _ = takeInputs()
      return target.settleFailure(fate, in: context)
    }
    guard remaining.countDown() else { return target.endClaims(from: input, in: context) }
    target.fulfill(values(of: takeInputs()), in: context)
  }

  /// A loop of its own: the closure of `compactMap` would look up the type for each input.
  private func values(of inputs: [PromiseStorage<Element>]) -> [Element] {
    var values: [Element] = []
    values.reserveCapacity(inputs.count)
    for input in inputs {
      if let value = input.value { values.append(value) }
    }
    return values
  }

  private func takeInputs() -> [PromiseStorage<Element>] {
    inputs.withLock { inputs in
      let taken = inputs
      inputs = []
      return taken
    }
  }
}

/// Collects the values of inputs of several types.
private final class TupleCollector<each Element: Sendable>: Sendable {
  private let inputs: (repeat PromiseStorage<each Element>)
  private let remaining: Countdown
  private let target: PromiseStorage<(repeat each Element)>

  init(
    _ inputs: repeat PromiseStorage<each Element>,
    count: Int,
    into target: PromiseStorage<(repeat each Element)>
  ) {
    self.inputs = (repeat each inputs)
    self.remaining = Countdown(count)
    self.target = target
    if count == 0 { fulfill(in: nil) }
  }

  func inputDidSettle(_ input: PromiseCore, _ fate: Fate, _ context: DrainContext) {
    guard fate.isFulfilled else {
      if case .asked(let question) = fate { return target.answer(question, as: .collecting) }
      return target.settleFailure(fate, in: context)
    }
    guard remaining.countDown() else { return target.endClaims(from: input, in: context) }
    fulfill(in: context)
  }

  private func fulfill(in context: DrainContext?) {
    do {
      target.fulfill((repeat try (each inputs).fulfilledValue), in: context)
    } catch {
      target.settle(thrown: error, in: context)
    }
  }
}
