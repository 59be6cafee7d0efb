extension Promise {
  /// Waits for all promises and collects how each ended, in input order. It never fails.
  ///
  /// No promises give an empty array at once.
  public static func allSettled<Element: Sendable>(
    _ promises: some Sequence<Promise<Element>>,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Guarantee<[Outcome<Element>]> where Value == [Outcome<Element>] {
    let target = PromiseStorage<[Outcome<Element>]>(
      executor: executor, site: SourceSite(file, line))
    let inputs = promises.map(\.storage)
    if inputs.isEmpty { target.fulfill([], in: nil) }
    let remaining = Countdown(inputs.count)
    gather(inputs, into: target) { _, input in
      { fate, context in
        if case .asked(let question) = fate { return target.answer(question, as: .collecting) }
        guard remaining.countDown() else { return target.endClaims(from: input, in: context) }
        target.fulfill(inputs.compactMap(\.settledOutcome), in: context)
      }
    }
    return Guarantee(unfailing: Promise<[Outcome<Element>]>(target))
  }
}
