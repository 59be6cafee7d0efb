import Synchronization

/// Promises in the order in which they settle.
///
/// ```swift
/// for await completion in downloads.inCompletionOrder() {
///   print(completion.index, try completion.value)
/// }
/// ```
/// Each iteration sees every promise once; those settled before it began come first, in the order of
/// the input. Cancelling the iterating task ends the iteration; the promises go on.
public struct PromiseCompletions<Value: Sendable>: AsyncSequence, Sendable {
  /// A promise that settled.
  public struct Element: Sendable {
    /// Where the promise stands in the input, counted from zero.
    public let index: Int
    /// How it ended.
    public let outcome: Outcome<Value>

    /// The value.
    ///
    /// - Throws: what ``Outcome/get()`` throws.
    public var value: Value {
      get throws { try outcome.get() }
    }
  }

  /// Iterates over the completions.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var base: AsyncStream<Element>.AsyncIterator

    fileprivate init(_ base: AsyncStream<Element>.AsyncIterator) {
      self.base = base
    }

    /// The next promise that settles, or `nil` after the last one and when the task is cancelled.
    public mutating func next() async -> Element? {
      await base.next(isolation: #isolation)
    }

    /// The same, on the actor of the caller.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> Element? {
      await base.next(isolation: actor)
    }
  }

  private let promises: [Promise<Value>]

  init(_ promises: [Promise<Value>]) {
    self.promises = promises
  }

  public func makeAsyncIterator() -> AsyncIterator {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let remaining = Countdown(promises.count)
    let isLeft = IterationEnd()
    continuation.onTermination = { [promises] _ in
      isLeft.note()
      for promise in promises where promise.isPending { promise.storage.detachObserver() }
    }
    if promises.isEmpty { continuation.finish() }
    for (index, promise) in promises.enumerated() {
      let storage = promise.storage
      storage.observe(triggers: .detachable) { fate, _ in
        if fate.answer(isLeft.isNoted ? nil : .anything) { return }
        if let outcome = storage.settledOutcome {
          continuation.yield(Element(index: index, outcome: outcome))
        }
        if remaining.countDown() { continuation.finish() }
      }
    }
    return AsyncIterator(stream.makeAsyncIterator())
  }
}

/// Whether an iteration is over, or was left.
private final class IterationEnd: Sendable {
  private let flag = Atomic(false)

  var isNoted: Bool { flag.load(ordering: .acquiring) }

  func note() { flag.store(true, ordering: .releasing) }
}

@available(*, unavailable)
extension PromiseCompletions.AsyncIterator: Sendable {}

extension Sequence {
  /// The promises of this sequence in the order in which they settle.
  public func inCompletionOrder<Value: Sendable>() -> PromiseCompletions<Value>
  where Element == Promise<Value> {
    PromiseCompletions(Array(self))
  }
}
