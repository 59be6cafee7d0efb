import Synchronization

extension Promise {
  /// Settles as the first of the promises that settles, however that ended.
  ///
  /// Of several that are settled already the first in input order counts. No promises are invalid
  /// input and reject with ``PromiseError/Code/invalidInput``. Cancelling the result cancels the inputs
  /// that are pending; the ones that lost go on, and their failures count as handled.
  public static func race(
    _ promises: some Sequence<Promise<Value>>,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    let site = SourceSite(file, line)
    let target = PromiseStorage<Value>(executor: executor, site: site)
    let inputs = promises.map(\.storage)
    guard !inputs.isEmpty else { return rejectedAsEmpty(target, "race") }
    gather(inputs, into: target) { _, source in
      { fate, context in target.settle(likeInput: source, fate: fate, in: context) }
    }
    return Promise(target)
  }

  /// Fulfils with the first of the promises that is fulfilled.
  ///
  /// If none is, it is rejected with ``PromiseError/Code/allRejected``, whose
  /// ``PromiseError/attachedErrors`` are all errors in input order; if all were cancelled, it is
  /// cancelled. No promises are invalid input. Cancelling the result cancels the pending inputs.
  public static func any(
    _ promises: some Sequence<Promise<Value>>,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    let site = SourceSite(file, line)
    let target = PromiseStorage<Value>(executor: executor, site: site)
    let inputs = promises.map(\.storage)
    guard !inputs.isEmpty else { return rejectedAsEmpty(target, "any") }
    let remaining = Countdown(inputs.count)
    let failures = FailureBox(count: inputs.count)
    gather(inputs, into: target) { index, source in
      { fate, context in
        guard let failure = fate.failure else {
          return target.settle(likeInput: source, fate: fate, in: context)
        }
        failures.all.withLock { $0[index] = failure }
        guard remaining.countDown() else { return target.endClaims(from: source, in: context) }
        target.settle(allFailed(failures.all.withLock { $0.compactMap(\.self) }, site), in: context)
      }
    }
    return Promise(target)
  }

  private static func rejectedAsEmpty(
    _ target: PromiseStorage<Value>, _ name: String
  ) -> Promise<Value> {
    let message = "\(name) needs at least one promise, or it could never settle."
    target.settle(Failure.rejected(PromiseError.invalidInput(message, site: target.site)), in: nil)
    return Promise(target)
  }
}

/// Holds the failures of the inputs of `any`.
private final class FailureBox: Sendable {
  let all: Mutex<[Failure?]>

  init(count: Int) { all = Mutex(Array(repeating: nil, count: count)) }
}

/// How `any` ends when nothing was fulfilled.
private func allFailed(_ failures: [Failure], _ site: SourceSite) -> Failure {
  if let first = failures.first, failures.allSatisfy({ $0.kind == .cancelled }) { return first }
  return .rejected(
    PromiseError(
      .allRejected, "None of \(failures.count) promises was fulfilled.",
      attachedErrors: failures.map(\.error), site: site))
}
