/// The half of a promise that settles it; it belongs where the outcome is known.
///
/// ```swift
/// let (promise, resolver) = Promise.make(of: Int.self)
/// resolver.onCancel { _ in request.abort() }
/// request.start { resolver.fulfill($0) }
/// ```
/// A resolver can be called like the completion handler that it takes the place of, with a value, a
/// `Result`, or a value and an error:
///
/// ```swift
/// let image = Promise<Image> { complete in
///   loader.load(url) { complete($0, $1) }
/// }
/// ```
/// The first call settles; each returns whether it was the one. Later calls change nothing and are
/// reported as ``PromiseDiagnostic/Kind/settledTwice(ignored:)``, or as
/// ``PromiseDiagnostic/Kind/settledLate`` if the promise had been cancelled. A resolver that is
/// released without having settled its promise rejects it with ``PromiseError/Code/abandoned``, so no
/// observer waits for ever.
public final class Resolver<Value: Sendable>: Sendable {
  @usableFromInline let storage: PromiseStorage<Value>

  @inlinable
  init(_ storage: PromiseStorage<Value>) {
    self.storage = storage
  }

  deinit {
    storage.resolverWasReleased()
  }

  /// The promise that this resolver settles.
  public var promise: Promise<Value> { Promise(storage) }

  /// Whether the promise still waits for this resolver.
  public var isOpen: Bool { storage.isOpen }

  /// Fulfils the promise, whatever the type of the value: fulfilling with an error value fulfils.
  @inlinable
  @discardableResult
  public func fulfill(_ value: Value) -> Bool {
    storage.accept(storage.fulfill(value, byResolver: true, in: nil), error: nil)
  }

  /// Rejects the promise, whatever the error is: this never cancels.
  @discardableResult
  public func reject(_ error: any Error) -> Bool {
    storage.accept(storage.settle(Failure.rejected(error), byResolver: true, in: nil), error: error)
  }

  /// Cancels the promise from the side of the work. Cancelling a cancelled promise is not reported.
  @discardableResult
  public func cancel(_ reason: CancellationReason = .unspecified) -> Bool {
    let result = storage.settle(Failure.cancelled(reason), byResolver: true, in: nil)
    return result.wasCancelled ? false : storage.accept(result, error: nil)
  }

  /// Settles with an outcome.
  @discardableResult
  public func resolve(with outcome: Outcome<Value>) -> Bool {
    switch outcome {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    case .cancelled(let reason): cancel(reason)
    }
  }

  /// Fulfils with a success, rejects with a failure.
  @discardableResult
  public func resolve(with result: Result<Value, some Error>) -> Bool {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }

  /// Gives the fate of this promise to another one.
  ///
  /// From then on later calls of this resolver have no effect, although the promise stays pending until the
  /// other one settles. Cancelling this promise cancels the other one, and the other way round.
  ///
  /// Resolving with the promise itself, or with one that was resolved with it, directly or over others,
  /// rejects with ``PromiseError/Code/resolvedWithItself``. A cycle that runs through callbacks, such as a
  /// promise resolved with its own `map`, is not found: such promises stay pending until one is cancelled.
  @discardableResult
  public func resolve(with promise: Promise<Value>) -> Bool {
    storage.accept(storage.follow(promise.storage, byResolver: true, in: nil), error: nil)
  }

  /// Calls `handler` once if the promise is cancelled, from either side, at once if it is already.
  ///
  /// It runs on the thread that cancels, with no lock held, and is released when the promise settles.
  /// This is how cancelling reaches work outside this library: stop it, but do not wait for it.
  public func onCancel(_ handler: @escaping @Sendable (CancellationReason) -> Void) {
    storage.onCancel(handler)
  }

  /// Runs `body` with the resolver of a promise, when that starts.
  static func starter(
    _ body: @escaping @Sendable (Resolver<Value>) throws -> Void
  ) -> PromiseStateMachine.Starter {
    { core in
      guard let storage = core as? PromiseStorage<Value> else { return core.abandon(in: nil) }
      Resolver(storage).run(body)
    }
  }

  /// Runs a body, and rejects or cancels as the error that it throws says.
  func run(_ body: (Resolver<Value>) throws -> Void) {
    do {
      try body(self)
    } catch {
      let failure = Failure(thrown: error)
      let result = storage.settle(failure, byResolver: true, in: nil)
      if result.wasCancelled, failure.kind == .cancelled { return }
      _ = storage.accept(result, error: error)
    }
  }
}

// MARK: - As a completion handler

extension Resolver {
  /// Fulfils the promise, as ``fulfill(_:)`` does.
  @discardableResult
  public func callAsFunction(_ value: Value) -> Bool { fulfill(value) }

  /// Fulfils with a success, rejects with a failure.
  @discardableResult
  public func callAsFunction(_ result: Result<Value, some Error>) -> Bool { resolve(with: result) }

  /// Rejects with the error if there is one, also next to a value; fulfils with the value otherwise.
  ///
  /// A call with neither rejects with ``PromiseError/Code/noResult``.
  @discardableResult
  public func callAsFunction(_ value: Value?, _ error: (any Error)?) -> Bool {
    if let error { return reject(error) }
    if let value { return fulfill(value) }
    return reject(
      PromiseError(
        .noResult, "The completion handler was called with neither a value nor an error.",
        site: storage.site))
  }
}

extension Resolver where Value == Void {
  /// Fulfils the promise.
  @discardableResult
  public func callAsFunction() -> Bool { fulfill(()) }

  /// Rejects with the error; none means success.
  @discardableResult
  public func callAsFunction(_ error: (any Error)?) -> Bool {
    if let error { reject(error) } else { fulfill(()) }
  }
}
